package dev.komainu.organizer;

import dev.komainu.organizer.member.GrantAuthority;
import dev.komainu.organizer.report.ReportSettings;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.settings.Configuration;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingOptions;
import dev.komainu.settings.SettingSource;
import dev.komainu.telemetry.process.CommandProcess;
import dev.komainu.telemetry.process.ExitCode;
import dev.komainu.telemetry.report.ProductVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.security.Security;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code organizer}. */
@Command(
        name = "organizer",
        description = {
            "A member of a cluster beside a web server or a proxy: finds the other members, and routes requests to the best",
            "member for each URL."
        },
        footer = {
            "",
            "All keys of the file: docs/configuration/organizer.md. How it works: docs/organizer.md.",
            "SIGHUP reloads the settings.",
            "Exit code: 0 after SIGTERM or SIGINT, 2 for mistakes in settings, 3 when an address cannot be used."
        })
public final class OrganizerServer implements Callable<Integer> {

    @Mixin
    private final SettingOptions options = new SettingOptions(
            List.of(ReportSettings.ENROLMENT_CODE),
            () -> "Komainu organizer " + ProductVersion.text());

    @Option(
            names = "--new-authority",
            paramLabel = "FILE",
            description =
                    "Create the key of an authority that grants prefixes; print its public half, for grant-authority")
    private @Nullable Path newAuthority;

    @Option(
            names = "--grant",
            paramLabel = "FILE",
            description =
                    "Create a member's grant, with --authority, --cluster, --member, --prefix, --until")
    private @Nullable Path grant;

    @Option(
            names = "--authority",
            paramLabel = "FILE",
            description = "Key that --new-authority created")
    private @Nullable Path authority;

    @Option(
            names = "--cluster",
            paramLabel = "NAME",
            description = "Cluster of the grant (default: komainu)")
    private String cluster = "komainu";

    @Option(names = "--member", paramLabel = "NAME", description = "Member of the grant")
    private @Nullable String member;

    @Option(
            names = "--prefix",
            paramLabel = "HOST/PATH",
            description = "Prefix that the member may announce; repeatable")
    private List<String> prefixes = new ArrayList<>();

    @Option(
            names = "--until",
            paramLabel = "DAY",
            description = "Last day of the grant, in UTC (default: a year from now)")
    private @Nullable LocalDate until;

    private final CommandProcess process = new CommandProcess();

    public static void main(String[] args) {
        // Before the first name is asked for: a seed whose name cannot be resolved yet is asked for
        // again every second.
        Security.setProperty("networkaddress.cache.negative.ttl", "1");
        OrganizerServer server = new OrganizerServer();
        server.process.run(() -> new CommandLine(server).execute(args));
    }

    @Override
    public Integer call() throws InterruptedException {
        try {
            if (newAuthority != null) {
                System.out.println("grant-authority: " + GrantAuthority.create(newAuthority));
            } else if (grant != null) {
                grant(grant);
            } else if (!options.hasFile()) {
                throw new SettingMistakesException(
                        List.of("--config: none (expected: a YAML file of settings)"));
            } else {
                options.run(
                        SettingSource.environment(System.getenv(), OrganizerSettings.VARIABLES),
                        OrganizerSettings::read,
                        Organizer::check,
                        this::serve);
            }
            return ExitCode.OK;
        } catch (SettingMistakesException e) {
            return ExitCode.report(e.mistakes());
        } catch (IOException e) {
            return ExitCode.report(e);
        }
    }

    private void grant(Path file) throws IOException, SettingMistakesException {
        List<String> problems = new ArrayList<>();
        List<UrlPrefix> granted = new ArrayList<>();
        MemberId whom = null;
        try {
            whom = new MemberId(member == null ? "" : member);
        } catch (IllegalArgumentException e) {
            problems.add("--member: " + e.getMessage());
        }
        for (String prefix : prefixes) {
            try {
                granted.add(UrlPrefix.parse(prefix));
            } catch (IllegalArgumentException e) {
                problems.add("--prefix: " + e.getMessage());
            }
        }
        if (authority == null) {
            problems.add("--authority: none (expected: the file that --new-authority made)");
        }
        if (whom == null || authority == null || !problems.isEmpty()) {
            throw new SettingMistakesException(problems);
        }
        LocalDate last = until == null ? LocalDate.now(ZoneOffset.UTC).plusYears(1) : until;
        GrantAuthority.grant(authority, cluster, whom, last, granted, file);
        System.out.println("grant-file: " + file.toAbsolutePath());
    }

    private void serve(Configuration<OrganizerSettings> configuration)
            throws IOException, InterruptedException {
        // Until there is something to reload, it must not end the process.
        CommandProcess.ignore("HUP");
        try (Organizer organizer = Organizer.start(configuration)) {
            // The process must not end before what is under way is over, and the others know that
            // it goes.
            process.stopOnSignal(
                    () -> organizer.settings().times().drain().plusSeconds(10),
                    CommandProcess.StoppedCode.ZERO);
            organizer.greeting().forEach(System.out::println);
            organizer.greeted();
            CommandProcess.on("HUP", () -> organizer.reload(false));
            process.awaitStop();
            int cut = organizer.drain(organizer.settings().times().drain());
            System.out.println(
                    "Komainu organizer drained" + (cut == 0 ? "" : ", " + cut + " requests cut"));
        }
    }
}
