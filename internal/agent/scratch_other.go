//go:build !linux

package agent

import "errors"

type scratch struct{}

var errScratch = errors.New("capture is not supported on this system yet")

func newScratch(string, uint64) (scratch, error) { return scratch{}, errScratch }
func (s *scratch) write(uint64, []byte) error    { return errScratch }
func (s *scratch) bytes() ([]byte, error)        { return nil, errScratch }
func (s *scratch) close()                        {}
