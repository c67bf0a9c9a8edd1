package dev.komainu.organizer.report;

import dev.komainu.organizer.route.MemberId;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import dev.komainu.telemetry.identity.CentralAddresses;
import dev.komainu.telemetry.identity.EnrolmentCode;
import dev.komainu.telemetry.identity.PartIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the reports.
 *
 * @param central addresses of the central service: as given, or the one of the identity or of the
 *     enrolment code
 * @param enrolmentCode how to get an identity; absent: only an existing one is used
 * @param tokenFile its first line is a token with scope {@code ingest}; absent: there is an
 *     identity
 * @param authorityFile authorities of the central service's certificate; absent: Java's own
 * @param node this host's name in records; the agent on this host must use the same name
 * @param data directory for events while the central service cannot be reached
 */
public record ReportSettings(
        CentralAddresses central,
        @Nullable EnrolmentCode enrolmentCode,
        @Nullable Path tokenFile,
        @Nullable Path authorityFile,
        String node,
        Path data) {

    private static final String REPORTS = "the reporter is created at the start";

    static final Setting<CentralAddresses> CENTRAL = Setting.of(
                    "central.url", CentralAddresses.FORM, CentralAddresses::parse)
            .label("URL")
            .atStart(REPORTS)
            .effect("Addresses of the central service to report to; without them there are no "
                    + "reports")
            .detail("""
                    See [What the central service
                    sees](../organizer.md#what-the-central-service-sees). Several
                    addresses are those of [two central
                    services](../operations.md#two-central-services).""");
    public static final Setting<EnrolmentCode> ENROLMENT_CODE = Setting.of(
                    "central.enrolment-code", EnrolmentCode.FORM, EnrolmentCode::parse)
            .option("--enrol")
            .label("CODE")
            .atStart(REPORTS)
            .effect("One-time code with which this part gets its identity")
            .detail("""
                    See [Enrolment](#enrolment).""");
    static final Setting<Path> TOKEN_FILE = Setting.path("central.token-file", "file")
            .atStart(REPORTS)
            .effect(
                    "File of a token with scope `ingest`, needed with `central.url` unless the member "
                            + "has an identity");
    static final Setting<Path> AUTHORITY_FILE = Setting.path("central.authority-file", "file")
            .atStart(REPORTS)
            .effect("Authorities of which the central service's certificate must be")
            .detail("""
                    Needed with `https` when the central service issues its own certificate: a PEM
                    file, a copy of its `authority/authority.pem`. Without it, the authorities of
                    the Java runtime count. A changed file is read again.""");
    static final Setting<String> NODE = Setting.text("node", "text")
            .byDefault("host name", ReportSettings::hostName)
            .atStart(REPORTS)
            .effect("Name of this host in reports; the agent on this host must use the same "
                    + "name");

    /** Without a central service, learnt pages are still stored there. */
    public static final Setting<Path> DATA = Setting.path("data", "directory")
            .byDefaultOf("with reports `data/organizer-MEMBER`, else none")
            .atStart("the directory belongs to the running process")
            .effect("Directory of the files that outlive the process; each member needs its own")
            .detail("""
                    The files are: events while the central service cannot be reached, 16 MB at
                    most, and [learnt pages](../formats/page-file.md). Without the latter, pages
                    are learnt again after each start.""");

    /** Reads the settings; null: there is no central service to report to. */
    public static @Nullable ReportSettings read(SettingReader reader, @Nullable MemberId member) {
        CentralAddresses given = reader.find(CENTRAL);
        EnrolmentCode code = reader.find(ENROLMENT_CODE);
        Path token = reader.find(TOKEN_FILE);
        Path authority = reader.find(AUTHORITY_FILE);
        String node = reader.get(NODE);
        Path data = reader.get(DATA, Path.of("data", "organizer-" + member));
        URI enrolled = enrolled(reader, data, code);
        CentralAddresses central = CentralAddresses.givenOr(given, enrolled);
        if (central == null) {
            return null;
        }
        if (enrolled == null && !reader.isGiven(ENROLMENT_CODE)) {
            reader.require(
                    TOKEN_FILE,
                    "a file holding the ingest token, beside central.url, or --enrol CODE");
        }
        return enrolled == null && token == null
                ? null
                : new ReportSettings(central, code, token, authority, node, data);
    }

    /**
     * Returns the central service of the identity, or of the code; null: there is neither, or a
     * mistake was noted.
     */
    private static @Nullable URI enrolled(
            SettingReader reader, Path data, @Nullable EnrolmentCode code) {
        try {
            return PartIdentity.central(data, code);
        } catch (IOException e) {
            reader.mistake("data: " + e.getMessage());
            return null;
        }
    }

    /** Reports whether this member has an identity, or gets one by a code. */
    public boolean isEnrolled() {
        return enrolmentCode != null || PartIdentity.exists(data);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
