package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// SaveGroup implements [xxladapter.Store].
func (s *Store) SaveGroup(ctx context.Context, g *xxladapter.Group) (int64, error) {
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()

	before, c, err := s.saveGroup(g)
	if err != nil {
		return 0, err
	}
	s.record(ctx, c.Audited(), before, c.Fields())
	return c.ID, nil
}

// saveGroup stores a group and returns it, with the fields that it had before.
func (s *Store) saveGroup(g *xxladapter.Group) (before xxladapter.Fields, c *xxladapter.Group, err error) {
	if g.ID != 0 && s.groups[g.ID] == nil {
		return nil, nil, noGroup(g.ID)
	}
	if old := s.groups[g.ID]; old != nil && g.Base != nil && !old.SameEdits(g.Base) {
		return nil, nil, xxladapter.Conflictf(errorrule.GroupChanged, "group %d was changed meanwhile", g.ID)
	}
	for id, other := range s.groups {
		if id != g.ID && other.AppName == g.AppName {
			return nil, nil, xxladapter.Conflictf(errorrule.AppTaken, "group %[3]d has the app name %[2]q already",
				"appName", g.AppName, id)
		}
	}
	c = copyGroup(g)
	if c.ID == 0 {
		s.lastGroup++
		c.ID = s.lastGroup
	}
	if c.AddressType == xxladapter.AddressAuto {
		c.Addresses = s.registered(c.AppName)
	}
	c.Updated = toSecond(s.clock())
	if old := s.groups[c.ID]; old != nil {
		before, c.Drains = old.Fields(), old.Drains
	} else {
		c.Drains = nil
	}
	s.groups[c.ID] = c
	return before, c, nil
}

// RemoveGroup implements [xxladapter.Store].
func (s *Store) RemoveGroup(ctx context.Context, id int64) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	g := s.groups[id]
	if g == nil {
		return noGroup(id)
	}
	for _, j := range s.jobs {
		if j.GroupID == id {
			return xxladapter.Conflictf(errorrule.HasJobs, "group %d still has jobs", id)
		}
	}
	delete(s.groups, id)
	s.record(ctx, g.Audited(), g.Fields(), nil)
	for _, u := range s.users {
		u.Grants = slices.DeleteFunc(u.Grants, func(g xxladapter.Grant) bool { return g.GroupID == id })
	}
	return nil
}

// Group implements [xxladapter.Store].
func (s *Store) Group(ctx context.Context, id int64) (*xxladapter.Group, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	if g := s.groups[id]; g != nil {
		return copyGroup(g), nil
	}
	return nil, noGroup(id)
}

// Groups implements [xxladapter.Store].
func (s *Store) Groups(ctx context.Context) ([]*xxladapter.Group, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	var found []*xxladapter.Group
	for _, id := range slices.Sorted(maps.Keys(s.groups)) {
		found = append(found, copyGroup(s.groups[id]))
	}
	return found, nil
}

// Register implements [xxladapter.Store].
func (s *Store) Register(ctx context.Context, appName, address string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	s.beats[beatKey{appName, address}] = toSecond(s.clock())
	s.refreshGroups(appName)
	return nil
}

// Unregister implements [xxladapter.Store].
func (s *Store) Unregister(ctx context.Context, appName, address string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	delete(s.beats, beatKey{appName, address})
	s.refreshGroups(appName)
	return nil
}

// Registrations implements [xxladapter.Store].
func (s *Store) Registrations(ctx context.Context, appName string) ([]xxladapter.Registration, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	var list []xxladapter.Registration
	for _, address := range s.registered(appName) {
		list = append(list, xxladapter.Registration{
			AppName: appName, Address: address, Updated: s.beats[beatKey{appName, address}],
		})
	}
	return list, nil
}

// ExpireRegistrations implements [xxladapter.Store].
func (s *Store) ExpireRegistrations(
	ctx context.Context, life time.Duration, queued bool,
) ([]xxladapter.Registration, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	// Beats are stored in whole seconds, so the limit is truncated to them too: an address may live
	// up to a second longer, and never shorter.
	limit := toSecond(s.clock().Add(-life))
	var expired []xxladapter.Registration
	for key, at := range s.beats {
		if at.Before(limit) && (queued || !xxladapter.IsQueueAddress(key.address)) {
			expired = append(expired, xxladapter.Registration{AppName: key.appName, Address: key.address, Updated: at})
			delete(s.beats, key)
		}
	}
	for _, r := range expired {
		s.refreshGroups(r.AppName)
	}
	slices.SortFunc(expired, func(a, b xxladapter.Registration) int {
		return cmp.Or(cmp.Compare(a.AppName, b.AppName), cmp.Compare(a.Address, b.Address))
	})
	return expired, nil
}

// refreshGroups recomputes the addresses of the automatic groups of appName, and does not touch
// groups whose addresses are unchanged.
func (s *Store) refreshGroups(appName string) {
	addresses := s.registered(appName)
	for _, g := range s.groups {
		if g.AppName == appName && g.AddressType == xxladapter.AddressAuto && !slices.Equal(g.Addresses, addresses) {
			g.Addresses = slices.Clone(addresses)
			g.Updated = toSecond(s.clock())
		}
	}
}

// registered returns the sorted addresses of appName.
func (s *Store) registered(appName string) []string {
	var addresses []string
	for key := range s.beats {
		if key.appName == appName {
			addresses = append(addresses, key.address)
		}
	}
	slices.Sort(addresses)
	return addresses
}

func noGroup(id int64) error {
	return xxladapter.Absent("group", id)
}

// ofGroups reports whether a filter's groups contain the group; nil contains all.
func ofGroups(groups []int64, group int64) bool {
	return groups == nil || slices.Contains(groups, group)
}

// jobIn reports whether the job exists and is in one of the groups.
func (s *Store) jobIn(job int64, groups []int64) bool {
	j := s.jobs[job]
	return j != nil && slices.Contains(groups, j.GroupID)
}
