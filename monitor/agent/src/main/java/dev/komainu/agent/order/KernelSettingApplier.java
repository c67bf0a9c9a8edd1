package dev.komainu.agent.order;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An applier for the kernel's limits: {@code sysctl:NAME}, applied at once and written to the
 * agent's own file for the next boot, and {@code limit:nofile}, applied at once to the running
 * processes until they end.
 */
final class KernelSettingApplier implements SettingApplier {

    private static final String SYSCTL = "sysctl:";

    private final OrderJournal journal;
    private final DiscoveredServers servers;
    private final ProcFiles proc;
    private final Path sysctlFile;

    /**
     * Creates an applier.
     *
     * @param sysctlFile file that keeps values over a restart of the host
     */
    KernelSettingApplier(
            OrderJournal journal, DiscoveredServers servers, ProcFiles proc, Path sysctlFile) {
        this.journal = journal;
        this.servers = servers;
        this.proc = proc;
        this.sysctlFile = sysctlFile;
    }

    static boolean isFor(String setting) {
        return setting.startsWith(SYSCTL) || setting.equals("limit:nofile");
    }

    @Override
    public Change change(
            Order order, DiscoveredServer server, Setting setting, List<Companion> companions)
            throws OrderRefusedException, IOException {
        SettingApplier.refuse(companions);
        String requested = String.valueOf(order.wanted());
        return setting.name().startsWith(SYSCTL)
                ? sysctl(order, server, setting.value(), requested)
                : limit(order, server, setting.value(), requested);
    }

    @Override
    public Change restore(Order order, DiscoveredServer server, OrderJournal.Entry earlier)
            throws OrderRefusedException, IOException {
        String before = earlier.before();
        Setting now = DiscoveredServers.setting(server, order.setting());
        if (before == null || now == null) {
            throw OrderRefusedException.untouched(
                    "no-place", order.setting() + ": the earlier value is unknown");
        }
        if (!order.setting().startsWith(SYSCTL)) {
            return limit(order, server, now.value(), before);
        }
        Path file = earlier.file();
        boolean unchanged = file != null
                && Files.exists(file)
                && HostFile.hash(Files.readAllBytes(file)).equals(earlier.hash());
        if (file != null && !unchanged) {
            throw OrderRefusedException.untouched(
                    "drift",
                    file + ": was edited since (expected: as order " + order.restores()
                            + " left it)");
        }
        byte[] backup = journal.backup(String.valueOf(order.restores()));
        journal.begin(
                order,
                new OrderJournal.Entry(
                        server.service(),
                        order.setting(),
                        null,
                        null,
                        now.value(),
                        "NOTHING",
                        EpochMicros.now()),
                null);
        write(order.setting(), before);
        if (file != null && backup != null) {
            new HostFile(file).replace(backup);
        } else if (file != null) {
            Files.delete(file);
        }
        return done(server, order.setting(), file, now.value(), before);
    }

    private Change sysctl(Order order, DiscoveredServer server, String before, String requested)
            throws OrderRefusedException, IOException {
        String name = order.setting().substring(SYSCTL.length());
        byte[] original = Files.exists(sysctlFile) ? new HostFile(sysctlFile).read() : null;
        String text = original == null ? "" : new String(original, StandardCharsets.ISO_8859_1);
        Pattern line = Pattern.compile("(?m)^[ \\t]*" + Pattern.quote(name) + "[ \\t]*=.*$");
        String entry = name + " = " + requested;
        String edited = line.matcher(text).find()
                ? line.matcher(text).replaceAll(entry)
                : ConfigurationSyntax.appended(
                        original == null
                                ? "# Written by Komainu's agent, by orders of its operators.\n"
                                : text,
                        entry);
        byte[] content = edited.getBytes(StandardCharsets.ISO_8859_1);
        journal.begin(
                order,
                new OrderJournal.Entry(
                        server.service(),
                        order.setting(),
                        sysctlFile,
                        HostFile.hash(content),
                        before,
                        "NOTHING",
                        EpochMicros.now()),
                original);
        // The kernel first: a value it refuses must not be applied at the next boot.
        write(order.setting(), requested);
        try {
            if (original == null) {
                Files.writeString(sysctlFile, "");
            }
            new HostFile(sysctlFile).replace(content);
        } catch (IOException e) {
            write(order.setting(), before);
            throw OrderRefusedException.failed("write", sysctlFile + ": " + e.getMessage(), true);
        }
        return done(server, order.setting(), sysctlFile, before, requested);
    }

    private void write(String setting, String value) throws OrderRefusedException {
        Path file = proc.path("sys/" + setting.substring(SYSCTL.length()).replace('.', '/'));
        try {
            Files.writeString(file, value + "\n");
        } catch (IOException e) {
            throw OrderRefusedException.failed(
                    "write", file + ": " + value + " (refused: " + e.getMessage() + ")", true);
        }
    }

    private Change limit(Order order, DiscoveredServer server, String before, String requested)
            throws OrderRefusedException, IOException {
        if (!requested.matches("[1-9]\\d{0,9}")) {
            throw OrderRefusedException.untouched(
                    "malformed", "limit:nofile: " + requested + " (expected: a number)");
        }
        ServerControl control = ServerControl.of(server, proc);
        journal.begin(
                order,
                new OrderJournal.Entry(
                        server.service(),
                        order.setting(),
                        null,
                        null,
                        before,
                        "NOTHING",
                        EpochMicros.now()),
                null);
        int failed = 0;
        for (long id : control.processes()) {
            failed += KernelCalls.limitOpenFiles(id, Long.parseLong(requested)) ? 0 : 1;
        }
        if (failed > 0 && failed == control.processes().size()) {
            throw OrderRefusedException.failed(
                    "write", "prlimit: refused (expected: an agent run as root)", true);
        }
        return done(server, order.setting(), null, before, requested);
    }

    private Change done(
            DiscoveredServer server,
            String setting,
            @Nullable Path file,
            String before,
            String requested) {
        Setting after = servers.settingAfter(server, setting, requested);
        String detail = setting.equals("limit:nofile")
                ? "Applied to the running processes. The server sets its own limit again when it starts."
                : "";
        return new Change(
                file == null ? null : file.toString(),
                before,
                after == null ? null : after.value(),
                detail);
    }
}
