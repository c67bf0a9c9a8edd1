package dev.komainu.agent.order;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.configuration.ConfigurationFile;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An applier for values in a server's configuration file. The value is replaced where discovery
 * found it, or added; the file is checked by the server's own program; then it is activated. After
 * any failure the file is restored, and the server is reloaded with it if it had the new one.
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
    public Change change(
            Order order, DiscoveredServer server, Setting setting, List<Companion> companions)
            throws OrderRefusedException, IOException {
        DiscoveredServer owner = owner(server, order.setting());
        ServerControl control = ServerControl.of(owner, proc);
        ConfigurationSyntax syntax = syntax(owner.kind());
        if (syntax == null) {
            throw OrderRefusedException.untouched(
                    "no-place",
                    owner.kind()
                            + ": files of this kind are not edited (expected: apache, nginx, squid, haproxy, tomcat, komainu, gunicorn, uwsgi, php-fpm)");
        }
        List<Companion> values = new ArrayList<>();
        values.add(new Companion(owned(setting), String.valueOf(order.wanted())));
        companions.forEach(companion ->
                values.add(new Companion(owned(companion.setting()), companion.wanted())));
        Edit edit = edit(values, owner, syntax);
        String failure = control.configurationErrors();
        if (failure != null) {
            throw OrderRefusedException.untouched(
                    "configuration-test",
                    "the configuration is invalid before the change: " + failure);
        }
        return carryOut(order, server, control, edit, setting.value());
    }

    @Override
    public Change restore(Order order, DiscoveredServer server, OrderJournal.Entry earlier)
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
            throw OrderRefusedException.untouched(
                    "drift", file + ": already has its earlier content");
        }
        if (!HostFile.hash(now).equals(earlier.hash())) {
            throw OrderRefusedException.untouched(
                    "drift",
                    file + ": was edited since (expected: as order " + order.restores()
                            + " left it)");
        }
        ServerControl control = ServerControl.of(owner(server, order.setting()), proc);
        Setting setting = DiscoveredServers.setting(server, order.setting());
        return carryOut(
                order,
                server,
                control,
                new Edit(place, now, backup),
                setting == null ? null : setting.value());
    }

    /**
     * Returns the server whose files contain a setting: the server itself, or the application pool
     * behind it.
     */
    private static DiscoveredServer owner(DiscoveredServer server, String setting) {
        DiscoveredServer pool = server.pool();
        return pool != null && setting.startsWith(ServiceSighting.OF_POOL) ? pool : server;
    }

    /**
     * A file's content before and after an edit.
     *
     * @param original the current content
     * @param edited the new content
     */
    private record Edit(HostFile file, byte[] original, byte[] edited) {}

    /** Returns the setting with the name that its own server gives it. */
    private static Setting owned(Setting setting) {
        return setting.name().startsWith(ServiceSighting.OF_POOL)
                ? new Setting(
                        setting.name().substring(ServiceSighting.OF_POOL.length()),
                        setting.value(),
                        setting.source())
                : setting;
    }

    /**
     * Returns the edit of all values. Values that are in the file are replaced before others are
     * added, because an addition moves the lines.
     */
    private static Edit edit(
            List<Companion> values, DiscoveredServer server, ConfigurationSyntax syntax)
            throws OrderRefusedException, IOException {
        List<Companion> writtenFirst = new ArrayList<>(values);
        writtenFirst.sort(Comparator.comparing(
                value -> !PLACE.matcher(value.setting().source()).find()));
        Edit edit = edit(
                server,
                writtenFirst.getFirst().setting(),
                writtenFirst.getFirst().wanted(),
                syntax);
        for (Companion next : writtenFirst.subList(1, writtenFirst.size())) {
            edit = edit(edit, next, server, syntax);
        }
        return edit;
    }

    /** Returns an edit with one more value in the same file. */
    private static Edit edit(
            Edit edit, Companion next, DiscoveredServer server, ConfigurationSyntax syntax)
            throws OrderRefusedException, IOException {
        Setting setting = next.setting();
        String text = new String(edit.edited(), StandardCharsets.ISO_8859_1);
        Matcher place = PLACE.matcher(setting.source());
        String edited = null;
        if (place.find()) {
            if (new HostFile(Path.of(place.group(1))).path().equals(edit.file().path())) {
                edited = syntax.replaced(
                        text, Integer.parseInt(place.group(2)), setting.name(), next.wanted());
            }
        } else if (setting.source().startsWith("default")) {
            edited = syntax.inserted(text, setting.name(), next.wanted(), server.port());
        }
        if (edited == null) {
            throw OrderRefusedException.untouched(
                    "no-place",
                    setting.name() + ", read from " + setting.source() + ": no place in "
                            + edit.file().path() + ", where the other setting is");
        }
        return new Edit(edit.file(), edit.original(), edited.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static Edit edit(
            DiscoveredServer server, Setting setting, String requested, ConfigurationSyntax syntax)
            throws OrderRefusedException, IOException {
        Matcher place = PLACE.matcher(setting.source());
        if (place.find()) {
            // Only files that discovery read for this server are opened.
            boolean known = server.configuration().files().stream()
                    .map(ConfigurationFile::path)
                    .anyMatch(path -> path.equals(place.group(1)));
            if (known) {
                Edit edit = edit(
                        place.group(1),
                        text -> syntax.replaced(
                                text, Integer.parseInt(place.group(2)), setting.name(), requested));
                if (edit != null) {
                    return edit;
                }
            }
            throw OrderRefusedException.untouched(
                    "no-place",
                    setting.source() + ": " + setting.name()
                            + " is not written there in a supported form");
        }
        if (setting.source().startsWith("default")) {
            for (ConfigurationFile file : server.configuration().files()) {
                Edit edit = edit(
                        file.path(),
                        text -> syntax.inserted(text, setting.name(), requested, server.port()));
                if (edit != null) {
                    return edit;
                }
            }
        }
        throw OrderRefusedException.untouched(
                "no-place",
                setting.name() + ", read from " + setting.source()
                        + ": no supported place to write it");
    }

    /** An edit of a text; null when the text has no place for it. */
    private interface Rewrite {
        @Nullable
        String of(String text);
    }

    private static @Nullable Edit edit(String path, Rewrite rewrite) throws IOException {
        HostFile file = new HostFile(Path.of(path));
        byte[] original = file.read();
        // One character per byte, so that all other text stays the same in any encoding.
        String edited = rewrite.of(new String(original, StandardCharsets.ISO_8859_1));
        return edited == null
                ? null
                : new Edit(file, original, edited.getBytes(StandardCharsets.ISO_8859_1));
    }

    private Change carryOut(
            Order order,
            DiscoveredServer server,
            ServerControl control,
            Edit edit,
            @Nullable String before)
            throws OrderRefusedException, IOException {
        journal.begin(
                order,
                new OrderJournal.Entry(
                        server.service(),
                        order.setting(),
                        edit.file().path(),
                        HostFile.hash(edit.edited()),
                        null,
                        order.then().name(),
                        EpochMicros.now()),
                edit.original());
        try {
            edit.file().replace(edit.edited());
        } catch (IOException e) {
            throw OrderRefusedException.failed(
                    "write", edit.file().path() + ": " + e.getMessage(), restoreFile(edit));
        }
        String failure = control.configurationErrors();
        if (failure != null) {
            throw OrderRefusedException.failed("configuration-test", failure, restoreFile(edit));
        }
        failure = control.makeEffective(order.then(), () -> servers.listens(server));
        if (failure != null) {
            boolean restored = restoreFile(edit);
            String secondFailure = null;
            if (restored) {
                DiscoveredServer now = servers.find(server.service());
                // A server that no longer listens is started again.
                secondFailure = now == null
                        ? control.makeEffective(order.then(), () -> servers.listens(server))
                        : ServerControl.of(owner(now, order.setting()), proc)
                                .makeEffective(order.then(), () -> servers.listens(server));
            }
            throw OrderRefusedException.failed(
                    "reload",
                    failure
                            + (secondFailure == null
                                    ? ""
                                    : "; with the restored file: " + secondFailure),
                    restored);
        }
        Setting after = servers.settingAfter(server, order.setting(), order.wanted());
        return new Change(
                edit.file().path().toString(),
                before,
                after == null ? null : after.value(),
                after == null ? "" : after.source());
    }

    private static boolean restoreFile(Edit edit) {
        try {
            edit.file().replace(edit.original());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the syntax of this kind of server's files; null when the kind is not supported. */
    static @Nullable ConfigurationSyntax syntax(String kind) {
        return switch (kind) {
            case "apache" -> new ApacheSyntax();
            case "nginx" -> new NginxSyntax();
            case "squid" -> new SquidSyntax();
            case "haproxy" -> new HaproxySyntax();
            case "tomcat" -> new TomcatSyntax();
            case "komainu" -> new KomainuSyntax();
            case "gunicorn" -> new GunicornSyntax();
            case "uwsgi" -> new UwsgiSyntax();
            case "php-fpm" -> new PhpFpmSyntax();
            default -> null;
        };
    }
}
