package dev.komainu.agent.discovery.configuration;

import dev.komainu.agent.discovery.program.ProgramVersion;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A directive that tuning needs and its compiled-in default, which may differ between versions.
 *
 * @param name the server's own
 * @param defaults oldest first; an empty value means that nothing is told where the configuration
 *     says nothing
 */
public record Knob(String name, List<Default> defaults) {

    /** @param since first version with this value; absent for the oldest */
    public record Default(@Nullable ProgramVersion since, String value) {}

    public Knob {
        defaults = List.copyOf(defaults);
    }

    public static Knob of(String name, String value) {
        return new Knob(name, List.of(new Default(null, value)));
    }

    /** The same knob, with another default from a version on. */
    public Knob since(String version, String value) {
        List<Default> more = new ArrayList<>(defaults);
        more.add(new Default(ProgramVersion.of(version), value));
        return new Knob(name, more);
    }

    /** @param version the running one; the newest default when it is not known */
    public String defaultOf(@Nullable ProgramVersion version) {
        String value = "";
        for (Default one : defaults) {
            if (version == null || one.since() == null || version.compareTo(one.since()) >= 0) {
                value = one.value();
            }
        }
        return value;
    }
}
