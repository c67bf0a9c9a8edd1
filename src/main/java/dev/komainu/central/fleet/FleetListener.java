package dev.komainu.central.fleet;

/**
 * Told what happened to a service between two sightings. Called on the ingesting thread; must not
 * block long.
 */
public interface FleetListener {

    /** Called when a setting has another value than before, whatever changed it. */
    void settingChanged(SettingChange change);

    /** The listening process is another one than before. */
    void restarted(String service, long atMicros);

    /**
     * @param before absent when the setting was not seen before
     * @param after absent when it is gone
     */
    record SettingChange(
            String service,
            String setting,
            @org.jspecify.annotations.Nullable String before,
            @org.jspecify.annotations.Nullable String after,
            String source,
            long atMicros) {}
}
