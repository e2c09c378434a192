package errortext

// words has the values that are shown in Chinese, by the name of the parameter.
var words = map[string]map[string]string{
	"kind": kinds, "reason": reasons, "is": shapes, "want": shapes, "allowed": shapes,
}

// kinds are the things that an error can report as missing, in Chinese.
var kinds = map[string]string{
	"job": "任务", "group": "执行器", "run": "运行", "order": "触发", "pause": "暂停", "backfill": "补跑",
	"user": "用户", "credential": "令牌", "calendar": "日历", "session": "会话", "token": "令牌",
}

// reasons are why a provider did not sign a user in.
var reasons = map[string]string{
	"the answer does not belong to this browser, or came too late":  "该应答不属于此浏览器，或已超时",
	"it did not accept the code":                                    "登录提供方未接受授权码",
	"its token is not valid":                                        "登录提供方的令牌无效",
	"its token belongs to another sign-in":                          "登录提供方的令牌属于另一次登录",
	"its token cannot be read":                                      "登录提供方的令牌无法读取",
	"one of its addresses is not https":                             "登录提供方的某个地址不是 https",
	"its user information cannot be read, or is about another user": "登录提供方返回的用户信息无法读取，或属于其他用户",
}

// shapes are what a value in a file or in JSON is, or has to be.
var shapes = map[string]string{
	"a list": "列表", "a mapping": "映射", "a text": "文本", "true or false": " true 或 false", "an integer": "整数",
	"a string": "字符串", "a number": "数字", "an object": "对象",
}
