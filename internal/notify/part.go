package notify

import (
	"errors"
	"net/url"
	"strings"
)

// Parts of an address that a Ref may name.
const (
	PartAddress  = "address" // without user, password and query
	PartUser     = "user"
	PartPassword = "password"
	partQuery    = "query:" // and the name of a parameter
)

// PartQuery is one parameter of an address.
func PartQuery(name string) string { return partQuery + name }

// partOf takes a part out of an address. Errors do not show it: it holds secrets.
func partOf(address, part string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", errors.New("it contains no address")
	}
	switch name, query := strings.CutPrefix(part, partQuery); {
	case query:
		return u.Query().Get(name), nil
	case part == PartUser:
		return u.User.Username(), nil
	case part == PartPassword:
		password, _ := u.User.Password()
		return password, nil
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String(), nil
}
