package dev.komainu.central.api.access;

import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.label.LabelSelector;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The binding of a user or token to a group of services. It limits what may be changed, so only
 * scopes that change single services can be bound: with {@code config:write} or {@code admin} a
 * caller could give services other labels, and {@code ingest} names its own services. Pure.
 */
final class GroupBinding {

    private static final Set<Scope> READING = Set.of(Scope.METRICS_READ, Scope.SERVERS_READ);
    private static final Set<Scope> BOUND =
            Set.of(Scope.TUNING_RUN, Scope.TUNING_APPLY, Scope.CACHE_PURGE);

    static final String FOR_USERS = "absent, or for the role operator " + LabelSelector.FORM;

    static final String FOR_TOKENS = "absent, or " + LabelSelector.FORM
            + ", with at least one of tuning:run, tuning:apply, cache:purge and none of config:write, admin, ingest";

    private GroupBinding() {}

    static boolean mayBind(@Nullable String group, Role role) {
        return mayBind(group, role.scopes());
    }

    static boolean mayBind(@Nullable String group, Collection<Scope> scopes) {
        return group == null
                || group.isBlank()
                || (LabelSelector.isSelector(group)
                        && scopes.stream().anyMatch(BOUND::contains)
                        && scopes.stream()
                                .allMatch(each -> BOUND.contains(each) || READING.contains(each)));
    }

    /** Returns the selector in its canonical form; null for none. */
    static @Nullable String canonical(@Nullable String group) {
        if (group == null || group.isBlank()) {
            return null;
        }
        return LabelSelector.isSelector(group) ? LabelSelector.parse(group).toString() : group;
    }

    /** Returns role and group for the audit log. */
    static String text(Role role, @Nullable String group) {
        return group == null ? role.text() : role.text() + " of " + group;
    }
}
