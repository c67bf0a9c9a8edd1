package dev.komainu.agent.discovery.configuration;

import dev.komainu.agent.discovery.program.ProgramVersion;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A directive that tuning needs, with its compiled-in default, which may differ between versions.
 *
 * @param name the server's own name of the directive
 * @param defaults oldest first; with an empty default, an unset directive is not reported
 */
public record Knob(String name, List<Default> defaults) {

    /**
     * A default from one version on.
     *
     * @param since first version with this value; absent for the oldest
     */
    public record Default(@Nullable ProgramVersion since, String value) {}

    public Knob {
        defaults = List.copyOf(defaults);
    }

    public static Knob of(String name, String value) {
        return new Knob(name, List.of(new Default(null, value)));
    }

    /** Returns the same knob with another default from a version on. */
    public Knob since(String version, String value) {
        List<Default> more = new ArrayList<>(defaults);
        more.add(new Default(ProgramVersion.of(version), value));
        return new Knob(name, more);
    }

    /**
     * Returns the default of a version; empty when it is not reported.
     *
     * @param version the running version; the newest default applies when it is unknown
     */
    public String defaultOf(@Nullable ProgramVersion version) {
        String value = "";
        for (Default candidate : defaults) {
            if (version == null
                    || candidate.since() == null
                    || version.compareTo(candidate.since()) >= 0) {
                value = candidate.value();
            }
        }
        return value;
    }
}
