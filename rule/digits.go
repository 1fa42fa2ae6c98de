package rule

import "github.com/vigil-ml/vigil/internal/record"

// Digits spells a number with three significant digits as a person writes it:
// "0.318", "5,210", "1.2e-07".
func Digits(x float64) string { return record.Digits(x) }

// Times spells a factor without a power of ten: "12.5", "5,210", "3 million".
func Times(x float64) string { return record.Times(x) }
