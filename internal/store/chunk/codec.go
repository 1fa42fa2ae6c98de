package chunk

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/compress"
	std "github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// codec is zstd as Parquet has it. A page of numbers that is split into byte
// streams is one whose eighths have nothing in common: zeros, random bits, a
// few different exponents. Compressed together they cost a quarter more than
// each with a code of its own, because matches are found where there is only
// chance; so such a page becomes a zstd frame for each eighth. Any zstd reads
// frames that follow one another.
type codec struct {
	plain std.Codec
	once  sync.Once
	enc   *zstd.Encoder
	err   error
}

// theCodec is shared so that its encoders, some megabytes each, are too.
var theCodec compress.Codec = &codec{plain: std.Codec{Level: std.SpeedFastest, Concurrency: 1}}

// A page is taken for one of split numbers from splitFrom bytes on; what is
// smaller, or no multiple of streams, is one frame.
const (
	streams   = 8
	splitFrom = 4 << 10
)

func (c *codec) String() string { return "ZSTD" }

func (c *codec) CompressionCodec() format.CompressionCodec { return format.Zstd }

func (c *codec) Decode(dst, src []byte) ([]byte, error) { return c.plain.Decode(dst, src) }

func (c *codec) Encode(dst, src []byte) ([]byte, error) {
	if len(src) < splitFrom || len(src)%streams != 0 {
		return c.plain.Encode(dst, src)
	}
	c.once.Do(func() {
		c.enc, c.err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
			zstd.WithAllLitEntropyCompression(true)) // what is skewed but repeats nothing is the point
	})
	if c.err != nil {
		return nil, fmt.Errorf("compress a page: %w", c.err)
	}
	dst = dst[:0]
	for part := len(src) / streams; len(src) > 0; src = src[part:] {
		dst = c.enc.EncodeAll(src[:part], dst)
	}
	return dst, nil
}
