package dev.komainu.central.fleet;

/**
 * A listener for changes of a service between two sightings. Called on the ingesting thread; must
 * not block long.
 */
public interface FleetListener {

    /** Called when a setting has another value than before, whatever changed it. */
    void settingChanged(SettingChange change);

    /** Called when the listening process is another one than before. */
    void restarted(String service, long atMicros);

    /**
     * A changed setting.
     *
     * @param before absent when the setting was not reported before
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
