package dev.komainu.central.oidc;

import dev.komainu.central.access.Role;
import dev.komainu.central.label.LabelSelector;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The role that the members of one of the provider's groups have: {@code admins=administrator}, or
 * {@code shop=operator@team=shop} for operators of a group of services. A group's name can contain
 * {@code =}, as names of directories do: it ends before the first {@code =ROLE} that leads to a
 * whole mapping.
 *
 * @param members name of the group at the provider
 * @param selector selector of the services that an operator may change; absent: all
 */
public record GroupRole(String members, Role role, @Nullable String selector) {

    /** The form of a mapping in words. */
    static final String FORM =
            "GROUP=viewer, GROUP=operator, GROUP=administrator or" + " GROUP=operator@KEY=VALUE";

    private static final int MOST_CHARS = 1_100;
    private static final Pattern MAPPING =
            Pattern.compile("(.+?)=(viewer|operator|administrator)(?:@(.+))?");

    /**
     * Parses a mapping.
     *
     * @throws IllegalArgumentException naming the text and the expectation
     */
    static GroupRole parse(String text) {
        Matcher mapping = MAPPING.matcher(text);
        if (text.length() <= MOST_CHARS && mapping.matches()) {
            Role role = Role.valueOf(mapping.group(2).toUpperCase(Locale.ROOT));
            String selector = mapping.group(3);
            if (selector == null) {
                return new GroupRole(mapping.group(1).strip(), role, null);
            }
            if (role == Role.OPERATOR && LabelSelector.isSelector(selector)) {
                return new GroupRole(
                        mapping.group(1).strip(),
                        role,
                        LabelSelector.parse(selector).toString());
            }
        }
        throw new IllegalArgumentException(text + " (expected: " + FORM + ")");
    }
}
