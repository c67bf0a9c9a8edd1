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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the kernel bounds a server with: {@code sysctl:NAME}, at once and in a file of ours for the
 * next boot, and {@code limit:nofile} of the running processes, at once until they end.
 */
final class KernelSettingApplier implements SettingApplier {

    private static final String SYSCTL = "sysctl:";

    private final OrderJournal journal;
    private final DiscoveredServers servers;
    private final ProcFiles proc;
    private final Path sysctlFile;

    /** @param sysctlFile where values are kept over a restart of the host */
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
    public Done change(Order order, DiscoveredServer server, Setting setting)
            throws OrderRefusedException, IOException {
        String wanted = String.valueOf(order.wanted());
        return setting.name().startsWith(SYSCTL)
                ? sysctl(order, server, setting.value(), wanted)
                : limit(order, server, setting.value(), wanted);
    }

    @Override
    public Done restore(Order order, DiscoveredServer server, OrderJournal.Begun earlier)
            throws OrderRefusedException, IOException {
        String before = earlier.before();
        Setting now = DiscoveredServers.setting(server, order.setting());
        if (before == null || now == null) {
            throw OrderRefusedException.untouched(
                    "no-place", order.setting() + ": nothing is known of before");
        }
        if (!order.setting().startsWith(SYSCTL)) {
            return limit(order, server, now.value(), before);
        }
        Path file = earlier.file();
        boolean ours = file != null
                && Files.exists(file)
                && HostFile.hash(Files.readAllBytes(file)).equals(earlier.hash());
        if (file != null && !ours) {
            throw OrderRefusedException.untouched(
                    "drift",
                    file + ": was edited since (expected: as order " + order.restores()
                            + " left it)");
        }
        byte[] backup = journal.backup(String.valueOf(order.restores()));
        journal.begin(
                order,
                new OrderJournal.Begun(
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

    private Done sysctl(Order order, DiscoveredServer server, String before, String wanted)
            throws OrderRefusedException, IOException {
        String name = order.setting().substring(SYSCTL.length());
        byte[] was = Files.exists(sysctlFile) ? new HostFile(sysctlFile).read() : null;
        String text = was == null ? "" : new String(was, StandardCharsets.ISO_8859_1);
        Pattern line = Pattern.compile("(?m)^[ \\t]*" + Pattern.quote(name) + "[ \\t]*=.*$");
        String kept = name + " = " + wanted;
        String edited = line.matcher(text).find()
                ? line.matcher(text).replaceAll(kept)
                : ConfigurationSyntax.appended(
                        was == null
                                ? "# Written by Komainu's agent, by orders of its operators.\n"
                                : text,
                        kept);
        byte[] content = edited.getBytes(StandardCharsets.ISO_8859_1);
        journal.begin(
                order,
                new OrderJournal.Begun(
                        server.service(),
                        order.setting(),
                        sysctlFile,
                        HostFile.hash(content),
                        before,
                        "NOTHING",
                        EpochMicros.now()),
                was);
        // The kernel first: what it refuses must not come back with the next boot.
        write(order.setting(), wanted);
        try {
            if (was == null) {
                Files.writeString(sysctlFile, "");
            }
            new HostFile(sysctlFile).replace(content);
        } catch (IOException e) {
            write(order.setting(), before);
            throw OrderRefusedException.failed("write", sysctlFile + ": " + e.getMessage(), true);
        }
        return done(server, order.setting(), sysctlFile, before, wanted);
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

    private Done limit(Order order, DiscoveredServer server, String before, String wanted)
            throws OrderRefusedException, IOException {
        if (!wanted.matches("[1-9]\\d{0,9}")) {
            throw OrderRefusedException.untouched(
                    "malformed", "limit:nofile: " + wanted + " (expected: a number)");
        }
        ServerControl control = ServerControl.of(server, proc);
        journal.begin(
                order,
                new OrderJournal.Begun(
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
            failed += KernelCalls.limitOpenFiles(id, Long.parseLong(wanted)) ? 0 : 1;
        }
        if (failed > 0 && failed == control.processes().size()) {
            throw OrderRefusedException.failed(
                    "write", "prlimit: refused (expected: an agent run as root)", true);
        }
        return done(server, order.setting(), null, before, wanted);
    }

    private Done done(
            DiscoveredServer server,
            String setting,
            @Nullable Path file,
            String before,
            String wanted) {
        Setting after = servers.settingAfter(server, setting, wanted);
        String detail = setting.equals("limit:nofile")
                ? "The running processes; a start of the server sets its own limit again."
                : "";
        return new Done(
                file == null ? null : file.toString(),
                before,
                after == null ? null : after.value(),
                detail);
    }
}
