package dev.komainu.organizer;

import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.organizer.member.EventLog;
import dev.komainu.organizer.report.ClusterReport;
import dev.komainu.organizer.report.ReportSink;
import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The reports on the cluster: by the organizer's own settings, else by the outlet of the program
 * around it, else none.
 */
final class OrganizerReportComponent implements Component<OrganizerSettings> {

    private final OrganizerSettings settings;
    private final MembershipComponent member;
    private final FrontComponent front;
    private final ServersComponent servers;
    private final EventLog events;
    private final @Nullable ReportSink outlet;
    private final Consumer<Map<String, String>> judged;
    private @Nullable ClusterReport report;

    /** @param judged takes what the central service thinks of this member's servers */
    OrganizerReportComponent(
            OrganizerSettings settings,
            MembershipComponent member,
            FrontComponent front,
            ServersComponent servers,
            EventLog events,
            @Nullable ReportSink outlet,
            Consumer<Map<String, String>> judged) {
        this.settings = settings;
        this.member = member;
        this.front = front;
        this.servers = servers;
        this.events = events;
        this.outlet = outlet;
        this.judged = judged;
    }

    @Override
    public void open() throws IOException {
        String cluster = settings.membership().cluster();
        if (settings.report() != null) {
            report = ClusterReport.alone(
                    settings.report(),
                    cluster,
                    member.get(),
                    front.get(),
                    events,
                    servers.all()::seen,
                    judged);
        } else if (outlet != null) {
            report = ClusterReport.beside(
                    outlet, cluster, member.get(), front.get(), events, servers.all()::seen);
        }
    }

    @Override
    public void close() {
        if (report != null) {
            report.close();
        }
    }
}
