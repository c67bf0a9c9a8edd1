package dev.komainu.central.label;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.telemetry.record.Label;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A rule that gives a label to the services whose names match. Of several rules for one key, the
 * one created first counts.
 *
 * @param service pattern of the id or the display name, {@code *} for anything; absent: any
 * @param node pattern of the host's name; absent: any. A service whose host is not known does not
 *     match a pattern
 * @param kind kind of server; absent: any
 * @param by user or {@code token:NAME}
 */
public record LabelRule(
        long id,
        @Nullable String service,
        @Nullable String node,
        @Nullable String kind,
        Label label,
        String by,
        Instant at) {

    /** Rules in all. */
    public static final int MOST = 200;

    boolean matches(ServiceProfile profile) {
        String host = profile.node();
        return (service == null
                        || Glob.matches(service, profile.id())
                        || Glob.matches(service, profile.name()))
                && (node == null || (host != null && Glob.matches(node, host)))
                && (kind == null || kind.equals(profile.kind()));
    }

    /** Returns one line for the audit log. */
    public String summary() {
        return label + " for service " + (service == null ? "*" : service) + ", host "
                + (node == null ? "*" : node) + ", kind " + (kind == null ? "*" : kind);
    }
}
