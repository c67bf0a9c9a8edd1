package dev.komainu.organizer;

import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.organizer.member.Credentials;
import dev.komainu.organizer.peer.PeerRights;
import dev.komainu.organizer.report.ReportSettings;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.identity.PartNames;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The identity of this organizer at the central service, for reports and for the control endpoint;
 * and its credentials in the cluster, which are this identity unless the settings name others.
 */
final class IdentityComponent implements Component<OrganizerSettings> {

    private final OrganizerSettings settings;
    private @Nullable PartIdentity identity;
    private @Nullable Credentials credentials;

    IdentityComponent(OrganizerSettings settings) {
        this.settings = settings;
    }

    /** Returns the identity; null: there is none, or no central service. */
    @Nullable
    PartIdentity get() {
        return identity;
    }

    /** Returns the credentials in the cluster. */
    Credentials credentials() {
        return Objects.requireNonNull(credentials);
    }

    /** Returns the names in which the organizer reports. */
    static PartNames names(OrganizerSettings settings, ReportSettings report) {
        return new PartNames(
                PartNames.Kind.ORGANIZER,
                PeerRights.source(
                        settings.membership().cluster(),
                        settings.membership().member().text()),
                report.node());
    }

    /**
     * Reads the credentials that the settings name.
     *
     * @return null: they name none, and the identity counts
     * @throws IOException naming the missing or unreadable resource
     */
    static @Nullable Credentials named(OrganizerSettings settings) throws IOException {
        OrganizerSettings.CertificateFiles files = settings.certificates();
        if (files != null) {
            return Credentials.ofCertificates(
                    files.certificate(), files.key(), files.authorities());
        }
        return settings.secretFile() == null
                ? null
                : Credentials.ofSecret(
                        settings.secretFile(), settings.membership().cluster());
    }

    @Override
    public void open() throws IOException {
        // First: a code must not be used up by a start that fails.
        Credentials named = named(settings);
        ReportSettings report = settings.report();
        if (report != null) {
            identity = PartIdentity.open(
                    report.data(),
                    report.central(),
                    names(settings, report),
                    report.enrolmentCode());
        }
        if (named != null) {
            credentials = named;
        } else if (identity != null) {
            credentials = Credentials.ofIdentity(identity, settings.membership().cluster());
        } else {
            throw new IOException("secret-file: none (expected: a file, tls.certificate, or an"
                    + " identity, which --enrol CODE gets)");
        }
    }

    @Override
    public void close() {
        if (identity != null) {
            identity.close();
        }
    }
}
