package dev.komainu.proxy.fetch;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which forwarding fields of clients reach the origins.
 *
 * @param pass lower-case names, none by default. For a chain of proxies whose first one writes them anew; the origin must
 *     then either ignore them or name them in Vary, because no cache key holds them.
 */
public record ForwardingSettings(Set<String> pass) {

    public static final ForwardingSettings DEFAULT = new ForwardingSettings(Set.of());

    public ForwardingSettings {
        pass = Set.copyOf(pass);
    }

    public static ForwardingSettings of(List<String> names) {
        return new ForwardingSettings(
                names.stream().map(n -> n.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet()));
    }

    boolean passes(String lowerName) {
        return !pass.isEmpty() && pass.contains(lowerName);
    }

    /** Adds "name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        for (String name : pass) {
            if (!name.matches("[!#$%&'*+.^`|~0-9a-z-]{1,64}")) {
                problems.add("forwarding.pass: " + name + " (expected: a field name of 1 to 64 characters, without _)");
            }
        }
    }
}
