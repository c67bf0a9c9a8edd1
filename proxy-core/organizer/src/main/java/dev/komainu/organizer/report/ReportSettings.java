package dev.komainu.organizer.report;

import dev.komainu.organizer.route.MemberId;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where to report to.
 *
 * @param central base address of the central service
 * @param tokenFile its first line is a token with scope {@code ingest}
 * @param node this host's name in records; the agent's beside it must be the same
 * @param data where events wait while the central service cannot be reached
 */
public record ReportSettings(URI central, Path tokenFile, String node, Path data) {

    private static final String REPORTS = "reports go where the start said";

    static final Setting<URI> CENTRAL =
            Setting.url("central.url").range("URL").atStart(REPORTS).effect("""
                    [central service](../organizer.md#what-the-central-service-sees) to report to; without it the organizer tells nobody""");
    static final Setting<Path> TOKEN_FILE = Setting.path("central.token-file", "file")
            .atStart(REPORTS)
            .effect("token with scope `ingest`, needed with `central.url`");
    static final Setting<String> NODE = Setting.text("node", "text")
            .byDefault("host name", ReportSettings::hostName)
            .atStart(REPORTS)
            .effect("this host's name in reports; the same as the agent's beside it");

    /** Where nothing is reported, what outlives the process is kept there all the same. */
    public static final Setting<Path> DATA = Setting.path("data", "directory")
            .byDefaultOf("with `central.url` `data/organizer-MEMBER`, else none")
            .atStart("what is kept there is this process's")
            .effect("""
                    what outlives the process: events that wait while the central service is away, 16 MB at most;
                    [what was learnt of pages](../formats/page-file.md) (without it pages are learnt again after each start). One for each member""");

    /** Null: there is no central service to report to. */
    public static @Nullable ReportSettings read(SettingReader reader, @Nullable MemberId member) {
        URI central = reader.find(CENTRAL);
        Path token = reader.find(TOKEN_FILE);
        String node = reader.get(NODE);
        if (central == null) {
            return null;
        }
        reader.require(TOKEN_FILE, "a file holding the ingest token, beside central.url");
        Path data = reader.get(DATA, Path.of("data", "organizer-" + member));
        return token == null ? null : new ReportSettings(central, token, node, data);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
