package dev.komainu.central.backup;

/** The steps of a backup, in their order. */
public enum BackupStage {
    /** Days that nothing is written to any more are copied. */
    EARLIER_DAYS("earlier-days"),
    /** The control data is copied as of one instant. */
    CONTROL("control"),
    /** Keys, authority and settings are copied. */
    FILES("files"),
    /** The other days are copied, the newest one among them. */
    NEWEST_DAYS("newest-days"),
    /** The manifest is written. */
    MANIFEST("manifest");

    private final String text;

    BackupStage(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
