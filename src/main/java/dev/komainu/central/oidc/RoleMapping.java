package dev.komainu.central.oidc;

import dev.komainu.central.access.Role;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The mapping from groups at the provider to a role. The highest role of all groups counts. Among
 * operators, a mapping without a selector goes before one with a selector; of several selectors the
 * first one in the settings counts, because a user has one group of services only. Pure.
 */
public final class RoleMapping {

    private final List<GroupRole> mappings;

    public RoleMapping(List<GroupRole> mappings) {
        this.mappings = List.copyOf(mappings);
    }

    /** Returns the rights of a user in these groups; empty when no group has a role. */
    Optional<GrantedRole> of(Collection<String> groups) {
        Set<String> memberships = Set.copyOf(groups);
        GroupRole best = null;
        for (GroupRole each : mappings) {
            if (memberships.contains(each.members()) && (best == null || isAbove(each, best))) {
                best = each;
            }
        }
        return Optional.ofNullable(best)
                .map(found -> new GrantedRole(found.role(), found.selector()));
    }

    private static boolean isAbove(GroupRole one, GroupRole other) {
        int order = one.role().compareTo(other.role());
        return order > 0
                || (order == 0
                        && one.role() == Role.OPERATOR
                        && one.selector() == null
                        && other.selector() != null);
    }
}
