package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/record"
)

// Tags are a run's tags.
type Tags struct {
	Format
	Tags map[string]string `json:"tags"`
}

// Note is the note on a run.
type Note struct {
	Format
	Note string `json:"note"`
}

// Mutes are which findings of a run do not count.
type Mutes struct {
	Format
	Mutes []MuteOf `json:"mutes"`
}

// MuteOf keeps findings of a rule from counting.
type MuteOf struct {
	Rule   string `json:"rule" maxLength:"400" doc:"A rule, or a configuration of it."`
	Tensor string `json:"tensor,omitempty" maxLength:"5000" doc:"What the findings are about, exactly; all when it is empty."`
	Reason string `json:"reason" maxLength:"2000"`

	SymptomsCount bool `json:"symptoms_count,omitempty" doc:"What follows from the findings still counts. Else a muted root covers it."`
}

func toMutes(l record.Labels) Mutes {
	out := Mutes{format1, []MuteOf{}}
	for _, m := range l.Mutes {
		out.Mutes = append(out.Mutes, MuteOf{m.Rule, m.Subject, m.Reason, m.SymptomsCount})
	}
	return out
}

// wrote has the list of runs read a run that was written on.
func (s *Server) wrote(run string) { _, _ = s.index.Row(run) }

func registerLabels(api huma.API, s *Server) {
	change(api, http.MethodPut, "/runs/{run}/tags", "put-tags", "Set and remove tags", func(_ context.Context, in *struct {
		RunPath
		Body struct {
			Set    map[string]string `json:"set,omitempty"`
			Remove []string          `json:"remove,omitempty" maxItems:"1000"`
		}
	},
	) (Tags, error) {
		r, err := s.control(in.Run)
		if err != nil {
			return Tags{}, err
		}
		set := map[string]string{}
		for k, v := range in.Body.Set {
			key, value, err := config.ParseTag(k + "=" + v)
			if err != nil {
				return Tags{}, &wrong{err.Error()}
			}
			if set[key] = value; key != k || value == "" {
				return Tags{}, &wrong{"A tag has a name without spaces around it or = in it, and a value: remove takes one away."}
			}
		}
		l, err := r.Label(func(l *record.Labels) error {
			for _, k := range in.Body.Remove {
				delete(l.Tags, k)
			}
			for k, v := range set {
				l.Tags[k] = v
			}
			return nil
		})
		s.wrote(in.Run)
		return Tags{format1, l.Tags}, err
	})
	change(api, http.MethodPut, "/runs/{run}/note", "put-note", "Write the note on a run; an empty one removes it", func(_ context.Context, in *struct {
		RunPath
		Body struct {
			Note string `json:"note"`
		}
	},
	) (Note, error) {
		r, err := s.control(in.Run)
		if err != nil {
			return Note{}, err
		}
		if err := config.CheckNote(in.Body.Note); err != nil {
			return Note{}, &wrong{err.Error()}
		}
		l, err := r.Label(func(l *record.Labels) error { l.Note = in.Body.Note; return nil })
		s.wrote(in.Run)
		return Note{format1, l.Note}, err
	})
	get(api, "/runs/{run}/mutes", "list-mutes", "Which findings of a run do not count, besides those that it was started with", func(_ context.Context, in *struct{ RunPath }) (Mutes, error) {
		r, err := s.control(in.Run)
		if err != nil {
			return Mutes{}, err
		}
		l, err := r.Labels()
		return toMutes(l), err
	})
	change(api, http.MethodPut, "/runs/{run}/mutes", "put-mute", "Keep findings of a rule from counting, with the reason", func(_ context.Context, in *struct {
		RunPath
		Body MuteOf
	},
	) (Mutes, error) {
		r, err := s.control(in.Run)
		if err != nil {
			return Mutes{}, err
		}
		l, err := r.Mute(record.LabelMute{Rule: in.Body.Rule, Subject: in.Body.Tensor, Reason: in.Body.Reason, SymptomsCount: in.Body.SymptomsCount})
		s.wrote(in.Run)
		return toMutes(l), err
	})
	change(api, http.MethodDelete, "/runs/{run}/mutes", "delete-mute", "Take a mute back", func(_ context.Context, in *struct {
		RunPath
		Rule   string `query:"rule" required:"true" maxLength:"400"`
		Tensor string `query:"tensor" maxLength:"5000"`
	},
	) (Mutes, error) {
		r, err := s.control(in.Run)
		if err != nil {
			return Mutes{}, err
		}
		l, had, err := r.Unmute(in.Rule, in.Tensor)
		if err == nil && !had {
			err = &missing{"The run has no such mute; those of vigil.yaml stay with the run that was started with them."}
		}
		s.wrote(in.Run)
		return toMutes(l), err
	})
}
