package dev.komainu.agent.order;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.configuration.ConfigurationFile;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A value in a server's configuration file: replaced where discovery found it, or added; checked by
 * the server's own program; made effective. Whatever fails, the file is put back, and the server
 * told again if it had been told.
 */
final class FileSettingApplier implements SettingApplier {

    private static final Pattern PLACE = Pattern.compile("^(/[^:]*):(\\d{1,7})(?!\\d)");

    private final OrderJournal journal;
    private final DiscoveredServers servers;
    private final ProcFiles proc;

    FileSettingApplier(OrderJournal journal, DiscoveredServers servers, ProcFiles proc) {
        this.journal = journal;
        this.servers = servers;
        this.proc = proc;
    }

    @Override
    public Done change(Order order, DiscoveredServer server, Setting setting)
            throws OrderRefusedException, IOException {
        ServerControl control = ServerControl.of(server, proc);
        ConfigurationSyntax syntax = syntax(server.kind());
        if (syntax == null) {
            throw OrderRefusedException.untouched(
                    "no-place",
                    server.kind()
                            + ": files of this kind are not edited (expected: apache, nginx, squid, haproxy, tomcat, komainu)");
        }
        Edit edit = edit(order, server, setting, syntax);
        String trouble = control.mistakes();
        if (trouble != null) {
            throw OrderRefusedException.untouched(
                    "configuration-test", "before the change already: " + trouble);
        }
        return carryOut(order, server, control, edit, setting.value());
    }

    @Override
    public Done restore(Order order, DiscoveredServer server, OrderJournal.Begun earlier)
            throws OrderRefusedException, IOException {
        byte[] backup = journal.backup(String.valueOf(order.restores()));
        Path file = earlier.file();
        if (file == null || backup == null) {
            throw OrderRefusedException.untouched(
                    "no-place", "order " + order.restores() + " replaced no file");
        }
        HostFile place = new HostFile(file);
        byte[] now = place.read();
        if (Arrays.equals(now, backup)) {
            throw OrderRefusedException.untouched("drift", file + ": is already as it was before");
        }
        if (!HostFile.hash(now).equals(earlier.hash())) {
            throw OrderRefusedException.untouched(
                    "drift",
                    file + ": was edited since (expected: as order " + order.restores()
                            + " left it)");
        }
        ServerControl control = ServerControl.of(server, proc);
        Setting setting = DiscoveredServers.setting(server, order.setting());
        return carryOut(
                order,
                server,
                control,
                new Edit(place, now, backup),
                setting == null ? null : setting.value());
    }

    /** @param was the file now, @param edited as it shall be */
    private record Edit(HostFile file, byte[] was, byte[] edited) {}

    private static Edit edit(
            Order order, DiscoveredServer server, Setting setting, ConfigurationSyntax syntax)
            throws OrderRefusedException, IOException {
        String wanted = String.valueOf(order.wanted());
        Matcher place = PLACE.matcher(setting.source());
        if (place.find()) {
            // Only what discovery read for this very server is ever opened.
            boolean known = server.configuration().files().stream()
                    .map(ConfigurationFile::path)
                    .anyMatch(path -> path.equals(place.group(1)));
            if (known) {
                Edit edit = edit(
                        place.group(1),
                        text -> syntax.replaced(
                                text, Integer.parseInt(place.group(2)), setting.name(), wanted));
                if (edit != null) {
                    return edit;
                }
            }
            throw OrderRefusedException.untouched(
                    "no-place",
                    setting.source() + ": " + setting.name()
                            + " is not written there in a way understood here");
        }
        if (setting.source().startsWith("default")) {
            for (ConfigurationFile file : server.configuration().files()) {
                Edit edit = edit(
                        file.path(),
                        text -> syntax.inserted(text, setting.name(), wanted, server.port()));
                if (edit != null) {
                    return edit;
                }
            }
        }
        throw OrderRefusedException.untouched(
                "no-place",
                setting.name() + ", read from " + setting.source() + ": no place to write it");
    }

    /** What one text becomes. */
    private interface Rewrite {
        @Nullable
        String of(String text);
    }

    private static @Nullable Edit edit(String path, Rewrite rewrite) throws IOException {
        HostFile file = new HostFile(Path.of(path));
        byte[] was = file.read();
        // One character a byte, so that what is not touched stays as it is, whatever its encoding.
        String edited = rewrite.of(new String(was, StandardCharsets.ISO_8859_1));
        return edited == null
                ? null
                : new Edit(file, was, edited.getBytes(StandardCharsets.ISO_8859_1));
    }

    private Done carryOut(
            Order order,
            DiscoveredServer server,
            ServerControl control,
            Edit edit,
            @Nullable String before)
            throws OrderRefusedException, IOException {
        journal.begin(
                order,
                new OrderJournal.Begun(
                        server.service(),
                        order.setting(),
                        edit.file().path(),
                        HostFile.hash(edit.edited()),
                        null,
                        order.then().name(),
                        EpochMicros.now()),
                edit.was());
        try {
            edit.file().replace(edit.edited());
        } catch (IOException e) {
            throw OrderRefusedException.failed(
                    "write", edit.file().path() + ": " + e.getMessage(), putBack(edit));
        }
        String trouble = control.mistakes();
        if (trouble != null) {
            throw OrderRefusedException.failed("configuration-test", trouble, putBack(edit));
        }
        trouble = control.makeEffective(order.then(), () -> servers.listens(server));
        if (trouble != null) {
            boolean restored = putBack(edit);
            String again = null;
            if (restored) {
                DiscoveredServer now = servers.find(server.service());
                // What it does not listen with any more, it is started with again.
                again = now == null
                        ? control.makeEffective(order.then(), () -> servers.listens(server))
                        : ServerControl.of(now, proc)
                                .makeEffective(order.then(), () -> servers.listens(server));
            }
            throw OrderRefusedException.failed(
                    "reload",
                    trouble + (again == null ? "" : "; with the former file: " + again),
                    restored);
        }
        Setting after = servers.settingAfter(server, order.setting(), order.wanted());
        return new Done(
                edit.file().path().toString(),
                before,
                after == null ? null : after.value(),
                after == null ? "" : after.source());
    }

    private static boolean putBack(Edit edit) {
        try {
            edit.file().replace(edit.was());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The syntax of this kind of server's files; null when it is not known. */
    static @Nullable ConfigurationSyntax syntax(String kind) {
        return switch (kind) {
            case "apache" -> new ApacheSyntax();
            case "nginx" -> new NginxSyntax();
            case "squid" -> new SquidSyntax();
            case "haproxy" -> new HaproxySyntax();
            case "tomcat" -> new TomcatSyntax();
            case "komainu" -> new KomainuSyntax();
            default -> null;
        };
    }
}
