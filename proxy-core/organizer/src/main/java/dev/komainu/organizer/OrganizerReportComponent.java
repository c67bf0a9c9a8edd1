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
 * The cluster reports: by the organizer's own settings, otherwise to the sink of the embedding
 * program, otherwise none.
 */
final class OrganizerReportComponent implements Component<OrganizerSettings> {

    private final OrganizerSettings settings;
    private final IdentityComponent identity;
    private final MembershipComponent member;
    private final FrontComponent front;
    private final ServersComponent servers;
    private final EventLog events;
    private final @Nullable ReportSink sink;
    private final Consumer<Map<String, String>> onServerStates;
    /** Read by pages of metrics, too. */
    private volatile @Nullable ClusterReport report;

    /**
     * Creates the component.
     *
     * @param onServerStates receives the central service's states of this member's servers
     */
    OrganizerReportComponent(
            OrganizerSettings settings,
            IdentityComponent identity,
            MembershipComponent member,
            FrontComponent front,
            ServersComponent servers,
            EventLog events,
            @Nullable ReportSink sink,
            Consumer<Map<String, String>> onServerStates) {
        this.settings = settings;
        this.identity = identity;
        this.member = member;
        this.front = front;
        this.servers = servers;
        this.events = events;
        this.sink = sink;
        this.onServerStates = onServerStates;
    }

    @Override
    public void open() throws IOException {
        String cluster = settings.membership().cluster();
        if (settings.report() != null) {
            report = ClusterReport.alone(
                    settings.report(),
                    identity.get(),
                    cluster,
                    member.get(),
                    front.get(),
                    events,
                    servers.all()::views,
                    onServerStates);
        } else if (sink != null) {
            report = ClusterReport.beside(
                    sink, cluster, member.get(), front.get(), events, servers.all()::views);
        }
    }

    /** Returns the metrics of its own way to the central service; empty: it has none. */
    String metrics() {
        ClusterReport open = report;
        return open == null ? "" : open.metrics();
    }

    @Override
    public void close() {
        ClusterReport open = report;
        if (open != null) {
            open.close();
        }
    }
}
