package dev.komainu.central.backup;

/** A backup in words, for terminals. Stateless. */
public final class BackupText {

    private BackupText() {}

    public static String of(FinishedBackup.Summary summary) {
        StringBuilder text = new StringBuilder()
                .append("control data of ")
                .append(summary.control())
                .append(": ")
                .append(summary.tables())
                .append(" tables\ntelemetry of ")
                .append(summary.telemetry())
                .append(": ")
                .append(summary.days())
                .append(" days; each batch acknowledged before is in it\n")
                .append(summary.rows())
                .append(" rows, ")
                .append(summary.parts())
                .append(" files, ")
                .append(summary.bytes())
                .append(" bytes, ")
                .append(summary.encrypted() ? "encrypted" : "not encrypted");
        for (String missing : summary.missing()) {
            text.append("\nnot in it: ").append(missing);
        }
        return text.toString();
    }
}
