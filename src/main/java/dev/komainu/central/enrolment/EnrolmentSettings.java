package dev.komainu.central.enrolment;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;

/**
 * Settings of this package.
 *
 * @param certificateLife life of a part's certificate; it renews it at two thirds
 */
public record EnrolmentSettings(Duration certificateLife) {

    private static final Setting<Duration> CERTIFICATE_LIFE = Setting.duration(
                    "komainu.identity.certificate-life", "1m", "366d")
            .byDefault("30d")
            .effect("Life of the certificate of an agent, probe, proxy or organizer")
            .detail("""
                    A part renews its certificate at two thirds of its life. A part that was off for longer than its
                    certificate lives enrols again with a new code.""");

    /** Reads the settings. */
    public static EnrolmentSettings read(SettingReader reader) {
        return new EnrolmentSettings(reader.get(CERTIFICATE_LIFE));
    }
}
