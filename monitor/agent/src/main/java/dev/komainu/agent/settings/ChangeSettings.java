package dev.komainu.agent.settings;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import dev.komainu.settings.SettingReader;
import dev.komainu.telemetry.identity.CentralAddresses;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.wire.SignedOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The permission to carry out signed orders of the central service.
 *
 * @param allowed false: orders that arrive are counted and not carried out
 * @param key the central service's public key; absent: the first one that answers is kept (only
 *     where no other host can answer)
 * @param ports ports of the only servers whose settings are changed, and no settings of the host;
 *     empty: all servers and the host
 */
public record ChangeSettings(boolean allowed, @Nullable PublicKey key, Set<Integer> ports) {

    private static final String RANGE =
            "no, yes, the central service's order key or a file holding it";

    static final Setting<ChangeSettings> ALLOW = Setting.of(
                    "changes.allow", RANGE, ChangeSettings::of)
            .byDefault("no")
            .option("--allow-changes")
            .label("KEY")
            .withoutValue("yes")
            .effect("Whether signed orders of the central service are executed")
            .detail("""
                    See [Changes](#changes).""");

    static final Setting<List<Integer>> PORTS = Setting.integer("changes.ports", 1, 65_535)
            .option("--change-port")
            .words()
            .byDefaultOf("all servers, and the host")
            .effect("Ports of the only servers whose settings are changed")
            .detail("""
                    Kernel settings are not changed then, because they act on all servers of the
                    host.""");

    public ChangeSettings {
        ports = Set.copyOf(ports);
    }

    /** Returns a permission for all servers and the host. */
    static ChangeSettings everywhere(boolean allowed, @Nullable PublicKey key) {
        return new ChangeSettings(allowed, key, Set.of());
    }

    /** Reports whether a setting of the server at a port may be changed. */
    public boolean permits(int port, String setting) {
        return ports.isEmpty() || (ports.contains(port) && !setting.startsWith("sysctl:"));
    }

    /**
     * Returns the setting by which a restricted agent reports what it changes of the server at a
     * port: its {@code own} settings or {@code none}; null when it is not restricted.
     */
    public ServiceSighting.@Nullable Setting reported(int port) {
        return !allowed || ports.isEmpty()
                ? null
                : new ServiceSighting.Setting(
                        ServiceSighting.AGENT_CHANGES,
                        ports.contains(port) ? "own" : "none",
                        "changes.ports of the agent");
    }

    /** @param central where orders come from; absent: from nowhere */
    static ChangeSettings read(
            SettingReader reader, @Nullable CentralAddresses central, AgentSettings.Mode mode) {
        ChangeSettings changes = reader.get(ALLOW).at(Set.copyOf(reader.get(PORTS, List.of())));
        if (!changes.allowed()) {
            return changes;
        }
        if (central == null || mode == AgentSettings.Mode.CAPTURE_ONLY) {
            reader.mistake(ALLOW, "with central.url or an identity, and not with --capture-only");
        } else if (changes.key() == null && !central.areUnmistakable()) {
            // The first service that answers there would be root on this host from then on.
            reader.mistake(
                    ALLOW,
                    "the order key itself, as GET /api/v1/order-key tells it, since " + central
                            + " may be anybody");
        }
        return changes;
    }

    private ChangeSettings at(Set<Integer> onlyPorts) {
        return new ChangeSettings(allowed, key, onlyPorts);
    }

    private static ChangeSettings of(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "no", "false", "off" -> everywhere(false, null);
            case "yes", "true", "on" -> everywhere(true, null);
            default -> everywhere(true, key(text));
        };
    }

    /** @param text the key, or the name of a file that holds it */
    private static PublicKey key(String text) {
        try {
            Path file = Path.of(text);
            return SignedOrder.key(Files.isRegularFile(file) ? Files.readString(file) : text);
        } catch (IllegalArgumentException | IOException e) {
            throw SettingGrammar.wrong(text, RANGE);
        }
    }
}
