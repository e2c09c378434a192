package xxladapter

import "slices"

// ChinaCalendar is the name of the built-in calendar of working days in mainland China.
const ChinaCalendar = "cn"

// builtIn are the calendars that need not be stored.
//
// The days of China follow the notices of the General Office of the State Council on the
// arrangement of public holidays (国务院办公厅关于部分节假日安排的通知). Off are the holidays that a notice names,
// with the weekends among them; Work are the days of weekends on which it orders work.
var builtIn = []*Calendar{{
	Name:    ChinaCalendar,
	Note:    "Working days in mainland China, by the yearly notices of the State Council",
	Weekend: []Weekday{"SATURDAY", "SUNDAY"},
	Years: []CalendarYear{
		{
			Year:   2024,
			Source: "国办发明电〔2023〕7号, https://www.gov.cn/zhengce/zhengceku/202310/content_6911528.htm",
			Off: slices.Concat(days("0101"), // 元旦
				days("0210", "0211", "0212", "0213", "0214", "0215", "0216", "0217"), // 春节
				days("0404", "0405", "0406"),                                         // 清明节
				days("0501", "0502", "0503", "0504", "0505"),                         // 劳动节
				days("0610"),                 // 端午节
				days("0915", "0916", "0917"), // 中秋节
				days("1001", "1002", "1003", "1004", "1005", "1006", "1007")), // 国庆节
			Work: days("0204", "0218", "0407", "0428", "0511", "0914", "0929", "1012"),
		},
		{
			Year:   2025,
			Source: "国办发明电〔2024〕12号, https://www.gov.cn/zhengce/zhengceku/202411/content_6986383.htm",
			Off: slices.Concat(days("0101"), // 元旦
				days("0128", "0129", "0130", "0131", "0201", "0202", "0203", "0204"),  // 春节
				days("0404", "0405", "0406"),                                          // 清明节
				days("0501", "0502", "0503", "0504", "0505"),                          // 劳动节
				days("0531", "0601", "0602"),                                          // 端午节
				days("1001", "1002", "1003", "1004", "1005", "1006", "1007", "1008")), // 国庆节, 中秋节
			Work: days("0126", "0208", "0427", "0928", "1011"),
		},
		{
			Year:   2026,
			Source: "国办发明电〔2025〕7号, https://www.gov.cn/zhengce/zhengceku/202511/content_7047091.htm",
			Off: slices.Concat(days("0101", "0102", "0103"), // 元旦
				days("0215", "0216", "0217", "0218", "0219", "0220", "0221", "0222", "0223"), // 春节
				days("0404", "0405", "0406"),                                  // 清明节
				days("0501", "0502", "0503", "0504", "0505"),                  // 劳动节
				days("0619", "0620", "0621"),                                  // 端午节
				days("0925", "0926", "0927"),                                  // 中秋节
				days("1001", "1002", "1003", "1004", "1005", "1006", "1007")), // 国庆节
			Work: days("0104", "0214", "0228", "0509", "0920", "1010"),
		},
	},
}}

func days(all ...Day) []Day { return all }

// BuiltInCalendars returns the calendars that need not be stored, by name. The caller must not
// change them.
func BuiltInCalendars() []*Calendar { return slices.Clone(builtIn) }

// builtInCalendar returns a built-in calendar, or nil.
func builtInCalendar(name string) *Calendar {
	for _, c := range builtIn {
		if c.Name == name {
			return c
		}
	}
	return nil
}
