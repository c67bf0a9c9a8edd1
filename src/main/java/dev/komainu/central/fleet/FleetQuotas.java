package dev.komainu.central.fleet;

import dev.komainu.central.fleet.RefusedNames.Limit;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.Label;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.ReportedLabel;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.List;

/**
 * The limits of the fleet, with the names that use them and the refusals. Any thread.
 *
 * <pre>
 * services                {@link FleetSettings#maxServices}, and per credential
 * sources, hosts          {@link FleetSettings#maxSources}, and per credential
 * addresses of a service  {@value #MOST_ADDRESSES}
 * settings of a service   {@value #MOST_SETTINGS}, {@value #MOST_SETTING_CHARS} characters in all
 * labels of a service     {@value Label#MOST_OF_A_SERVICE}, each well-formed
 * servers of a host       {@value #MOST_SERVERS_OF_A_HOST}
 * length of a name        {@value #MOST_NAME_CHARS} characters
 * </pre>
 */
public final class FleetQuotas {

    public static final int MOST_ADDRESSES = 64;
    public static final int MOST_SETTINGS = 500;
    public static final int MOST_SETTING_CHARS = 32_768;
    public static final int MOST_SERVERS_OF_A_HOST = 64;
    public static final int MOST_NAME_CHARS = 255;

    /** Labels in one sighting: those of settings, and those of discovery. */
    private static final int MOST_REPORTED_LABELS = 2 * Label.MOST_OF_A_SERVICE;

    private final NameQuota services;
    private final NameQuota sources;
    private final NameQuota hosts;
    private final RefusedNames refused = new RefusedNames();
    private final FleetSettings settings;

    public FleetQuotas(FleetSettings settings) {
        this.settings = settings;
        services = new NameQuota(settings.maxServices(), settings.maxServicesPerCredential());
        sources = new NameQuota(settings.maxSources(), settings.maxSourcesPerCredential());
        hosts = new NameQuota(settings.maxSources(), settings.maxSourcesPerCredential());
    }

    public FleetSettings settings() {
        return settings;
    }

    public NameQuota services() {
        return services;
    }

    public NameQuota sources() {
        return sources;
    }

    public NameQuota hosts() {
        return hosts;
    }

    public RefusedNames refused() {
        return refused;
    }

    /** Reports whether each text is short enough for a name; counts a refusal otherwise. */
    public boolean areNames(long nowMicros, List<String> texts) {
        for (String text : texts) {
            if (text.length() > MOST_NAME_CHARS) {
                refused.add(Limit.LENGTH, text, nowMicros);
                return false;
            }
        }
        return true;
    }

    /** Returns the sighting without the addresses, settings and labels that exceed the limits. */
    public ServiceSighting trimmed(ServiceSighting sighting, long nowMicros) {
        List<Endpoint> addresses = sighting.addresses();
        if (addresses.size() > MOST_ADDRESSES) {
            refused.add(Limit.ADDRESSES, sighting.service(), nowMicros);
            addresses = addresses.subList(0, MOST_ADDRESSES);
        }
        List<Setting> kept = new ArrayList<>();
        int chars = 0;
        for (Setting setting : sighting.settings()) {
            chars += setting.name().length()
                    + setting.value().length()
                    + setting.source().length();
            if (kept.size() == MOST_SETTINGS || chars > MOST_SETTING_CHARS) {
                refused.add(Limit.SETTINGS, sighting.service() + " " + setting.name(), nowMicros);
                break;
            }
            kept.add(setting);
        }
        List<ReportedLabel> labels = labels(sighting, nowMicros);
        if (addresses.size() == sighting.addresses().size()
                && kept.size() == sighting.settings().size()
                && labels.size() == sighting.labels().size()) {
            return sighting;
        }
        return sighting.with(addresses, kept, labels);
    }

    private List<ReportedLabel> labels(ServiceSighting sighting, long nowMicros) {
        List<ReportedLabel> kept = new ArrayList<>();
        for (ReportedLabel label : sighting.labels()) {
            if (kept.size() < MOST_REPORTED_LABELS
                    && label.label().isWellFormed()
                    && label.source().length() <= MOST_NAME_CHARS) {
                kept.add(label);
            } else {
                refused.add(Limit.LABELS, sighting.service() + " " + label.key(), nowMicros);
            }
        }
        return kept;
    }
}
