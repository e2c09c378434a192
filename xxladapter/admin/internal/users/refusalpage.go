package users

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// refusalStyle has the sizes and colours of the console's theme.css. The page has its style inside,
// because the API, which serves the page, knows no file of the console.
const refusalStyle = `:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:light-dark(#f7f7f9,#121316);color:light-dark(#1b1c21,#e8e9ec);font:.8125rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif}
main{box-sizing:border-box;width:calc(100% - 2rem);max-width:420px;padding:1.5rem;border:1px solid light-dark(#e4e4ea,#2a2c33);border-radius:6px;background:light-dark(#fff,#191a1e)}
h1{margin:0 0 .5rem;font-size:1.1875rem;line-height:1.3}
p{margin:0 0 1.5rem;overflow-wrap:anywhere}
a{display:inline-block;padding:.4rem .75rem;border-radius:6px;background:light-dark(#4453c6,#98a4ff);color:light-dark(#fff,#14151c);font-weight:500;text-decoration:none}
`

// refusalPolicy permits that style by its hash, and nothing else.
var refusalPolicy = "default-src 'none'; style-src 'sha256-" + styleHash() +
	"'; frame-ancestors 'none'; base-uri 'none'"

func styleHash() string {
	sum := sha256.Sum256([]byte(refusalStyle))
	return base64.StdEncoding.EncodeToString(sum[:])
}

var refusalText = template.Must(template.New("").Parse(`<!doctype html>
<html lang="{{.Lang}}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}} · xxlwheel</title>
<style>{{.Style}}</style>
<main>
<h1>{{.Title}}</h1>
<p>{{.Message}}</p>
<a href="{{.Pages}}">{{.Back}}</a>
</main>
`))

// refusalPage shows an error to a person, in a language of the browser, with a link to the console.
// It has no script.
func refusalPage(r *http.Request, err error) api.Download {
	status, answer, _ := api.RefusalOf(err)
	shown := map[string]any{
		"Lang": "en", "Title": "You are not signed in", "Message": answer.Message, "Back": "Back to the console",
	}
	if wantsChinese(r) {
		shown = map[string]any{"Lang": "zh-CN", "Title": "登录失败", "Message": answer.Message, "Back": "返回控制台"}
		if answer.Chinese != "" {
			shown["Message"] = answer.Chinese
		}
	}
	shown["Style"] = template.CSS(refusalStyle)
	shown["Pages"] = strings.Repeat("../", strings.Count(r.URL.Path, "/")-1) + "console/"
	return func(w http.ResponseWriter) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", refusalPolicy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Vary", "Accept-Language")
		api.SetRetryAfter(w, err)
		w.WriteHeader(status)
		_ = refusalText.Execute(w, shown) // the caller may be gone
	}
}

// wantsChinese reports whether the browser names Chinese among its languages. The console decides
// in the same way if it has no stored choice.
func wantsChinese(r *http.Request) bool {
	for language := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		if strings.HasPrefix(strings.ToLower(strings.TrimSpace(language)), "zh") {
			return true
		}
	}
	return false
}
