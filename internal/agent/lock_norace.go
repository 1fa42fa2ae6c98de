//go:build !race

package agent

func (lockOrder) taking()   {}
func (lockOrder) released() {}
func (lockOrder) awaiting() {}
