package dev.komainu.organizer;

import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.organizer.report.ReportSettings;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.identity.PartNames;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The identity of this organizer at the central service: for reports and for the control endpoint.
 */
final class IdentityComponent implements Component<OrganizerSettings> {

    private final OrganizerSettings settings;
    private @Nullable PartIdentity identity;

    IdentityComponent(OrganizerSettings settings) {
        this.settings = settings;
    }

    /** Returns the identity; null: there is none, or no central service. */
    @Nullable
    PartIdentity get() {
        return identity;
    }

    /** Returns the names in which the organizer reports. */
    static PartNames names(OrganizerSettings settings, ReportSettings report) {
        return new PartNames(
                PartNames.Kind.ORGANIZER,
                "organizer@" + settings.membership().cluster() + "/"
                        + settings.membership().member(),
                report.node());
    }

    @Override
    public void open() throws IOException {
        ReportSettings report = settings.report();
        if (report != null) {
            identity = PartIdentity.open(
                    report.data(),
                    report.central(),
                    names(settings, report),
                    report.enrolmentCode());
        }
    }

    @Override
    public void close() {
        if (identity != null) {
            identity.close();
        }
    }
}
