package dev.komainu.central.alert.notify;

import dev.komainu.central.alert.Alert;
import dev.komainu.central.alert.AlertKind;
import dev.komainu.central.alert.Notice;
import dev.komainu.central.alert.NoticeReason;
import dev.komainu.central.alert.Severity;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.IndexSource;
import dev.komainu.central.indices.LocalizedText;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.springframework.web.util.UriUtils;

/**
 * The text of a notice in the receiver's language: a title line and a body. Times are in UTC, since
 * receivers can be in any time zone.
 */
final class NoticeText {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private static final Map<NoticeReason, LocalizedText> REASONS = Map.of(
            NoticeReason.FIRING, LocalizedText.of("Firing", "発生"),
            NoticeReason.UPDATED, LocalizedText.of("Changed, still firing", "変化(継続中)"),
            NoticeReason.REPEATED, LocalizedText.of("Still firing", "継続中"),
            NoticeReason.RESOLVED, LocalizedText.of("Resolved", "解消"),
            NoticeReason.TEST, LocalizedText.of("Test", "テスト"));

    /** The names of states, as in the console. */
    private static final Map<String, LocalizedText> STATES = Map.ofEntries(
            Map.entry("refusing", LocalizedText.of("refusing", "拒否中")),
            Map.entry("foreign-names", LocalizedText.of("foreign names", "他者の名前")),
            Map.entry("two-speak-as-one", LocalizedText.of("two speak as one", "同じ名前の 2 プロセス")),
            Map.entry("clock-differs", LocalizedText.of("clock differs", "時計のずれ")),
            Map.entry("certificate-ends", LocalizedText.of("certificate ends", "証明書の期限")),
            Map.entry("orderly", LocalizedText.of("orderly", "問題なし")),
            Map.entry("normal", LocalizedText.of("normal", "正常")),
            Map.entry("saturated/sockets", LocalizedText.of("saturated: sockets", "飽和:ソケット")),
            Map.entry("saturated/processes", LocalizedText.of("saturated: processes", "飽和:プロセス")),
            Map.entry("saturated/cpu", LocalizedText.of("saturated: CPU", "飽和:CPU")),
            Map.entry("saturated/memory", LocalizedText.of("saturated: memory", "飽和:メモリ")),
            Map.entry("saturated/disk", LocalizedText.of("saturated: disk", "飽和:ディスク")),
            Map.entry("saturated/bandwidth", LocalizedText.of("saturated: bandwidth", "飽和:帯域")),
            Map.entry("upstream-fault", LocalizedText.of("upstream fault", "上流の障害")),
            Map.entry("failing", LocalizedText.of("failing", "応答異常")),
            Map.entry("stopped/unclear", LocalizedText.of("stopped: unclear", "停止:確認中")),
            Map.entry("stopped/restarting", LocalizedText.of("stopped: restarting", "停止:再起動中")),
            Map.entry("stopped/crashed", LocalizedText.of("stopped: crashed", "停止:クラッシュ")),
            Map.entry("unreachable", LocalizedText.of("unreachable", "到達不能")),
            Map.entry("unknown", LocalizedText.of("unknown", "不明")),
            Map.entry("silent", LocalizedText.of("silent", "無応答")),
            Map.entry("losing-packets", LocalizedText.of("losing packets", "パケット取りこぼし")),
            Map.entry("dropping-records", LocalizedText.of("dropping records", "レコードの破棄")),
            Map.entry("nearly-full", LocalizedText.of("nearly full", "空き容量不足")),
            Map.entry("parted", LocalizedText.of("partitioned", "分断")),
            Map.entry("contested", LocalizedText.of("prefix conflict", "プレフィックスの競合")),
            Map.entry("flapping", LocalizedText.of("flapping", "フラッピング")),
            Map.entry("token-created", LocalizedText.of("new token", "新しいトークン")),
            Map.entry("no-room", LocalizedText.of("no room", "空きなし")),
            Map.entry("control-mended", LocalizedText.of("mended from a copy", "コピーから修復")));

    private static final Map<Severity, LocalizedText> SEVERITIES = Map.of(
            Severity.CRITICAL, LocalizedText.of("critical", "重大"),
            Severity.WARNING, LocalizedText.of("warning", "警告"),
            Severity.INFO, LocalizedText.of("info", "情報"));

    private static final Map<String, LocalizedText> ENDS = Map.of(
            Alert.RECOVERED, LocalizedText.of("The condition no longer holds.", "この状態は解消しました。"),
            Alert.GONE, LocalizedText.of("The subject is no longer watched.", "監視対象ではなくなりました。"),
            Alert.RULE, LocalizedText.of("The rule was changed or removed.", "ルールが変更または削除されました。"),
            Alert.MERGED,
                    LocalizedText.of("Another incident continues this one.", "別のインシデントに統合されました。"));

    private final boolean japanese;
    private final String console;

    /**
     * Creates the texts of one language.
     *
     * @param console address of the console without a trailing slash
     */
    NoticeText(String language, String console) {
        this.japanese = language.equals("ja");
        this.console = console;
    }

    /** Returns the alert that a test notice reports. */
    static Alert sample(Instant now) {
        return new Alert(
                "test",
                "test",
                "Test",
                AlertKind.SERVICE,
                "example:80",
                Severity.INFO,
                "saturated/processes",
                now.minusSeconds(90),
                now,
                LocalizedText.of(
                        "This is a test. There is no fault. Real notifications look like this one",
                        "これはテスト通知であり、障害は発生していません。実際の通知もこの形式です"),
                List.of(Evidence.ofText(
                        "test",
                        LocalizedText.of(
                                "The measured values with their thresholds appear here",
                                "ここに測定値と閾値が入ります"),
                        IndexSource.CONFIGURATION)),
                null,
                null,
                now,
                "saturated/processes",
                Severity.INFO,
                1,
                null,
                null);
    }

    /** Returns one line: {@code Firing: web-01:80 – saturated: processes}. */
    String title(Notice notice) {
        Alert alert = notice.alert();
        return line(text(Objects.requireNonNull(REASONS.get(notice.tell()))) + ": "
                + alert.subject() + " – " + state(alert));
    }

    /** Returns the body as plain text: description, begin, measured values and links. */
    String body(Notice notice) {
        Alert alert = notice.alert();
        List<String> lines = new ArrayList<>();
        if (notice.resolved()) {
            String reason = alert.endReason() == null ? Alert.RECOVERED : alert.endReason();
            lines.add(text(ENDS.getOrDefault(reason, LocalizedText.of(reason, reason))));
            lines.add(duration(alert));
            lines.add(text("Description: ", "内容:") + line(text(alert.text())));
        } else {
            lines.add(line(text(alert.text())));
            lines.add(text("Since ", "開始:") + TIME.format(alert.since()) + " ("
                    + span(Duration.between(alert.since(), notice.at())) + ")");
        }
        if (!alert.evidence().isEmpty()) {
            lines.add("");
            lines.add(text("Measured values:", "測定値:"));
            alert.evidence().forEach(each -> lines.add("- " + line(text(each.text()))));
        }
        lines.add("");
        links(alert).forEach((name, url) -> lines.add(name + ": " + url));
        lines.add("");
        lines.add(text("Rule: ", "ルール:")
                + line(alert.ruleName())
                + text(". Severity: ", " 重大度:")
                + text(Objects.requireNonNull(SEVERITIES.get(alert.severity()))));
        return String.join("\n", lines) + "\n";
    }

    /** Returns the links by name, in display order; never empty. */
    Map<String, String> links(Alert alert) {
        Map<String, String> links = new LinkedHashMap<>();
        switch (alert.kind()) {
            case SERVICE -> {
                String id = UriUtils.encodePathSegment(alert.subject(), "UTF-8");
                links.put(text("Service", "サービス"), console + "/#/services/" + id);
                // The console shows the diagnosis that was kept then, unless the state still lasts.
                links.put(
                        text("Diagnosis", "診断"),
                        console + "/#/tuning/" + id + "?entered=" + alert.since());
            }
            case SOURCE_SILENT, PROBE_LOSS, RECORD_DROPS, QUOTA ->
                links.put(text("Sources", "情報源"), console + "/#/settings/sources");
            case STORE_FULL, DISK_FULL -> {}
            case RECORD_SERVER ->
                links.put(text("Telemetry", "テレメトリ"), console + "/#/settings/telemetry");
            case CONTROL_MENDED ->
                links.put(text("Backups", "バックアップ"), console + "/#/settings/backups");
            case TOKEN_CREATED, FOREIGN_REPORT ->
                links.put(text("Tokens", "トークン"), console + "/#/settings/tokens");
            case IDENTITY -> links.put(text("Hosts", "ホスト"), console + "/#/settings/hosts");
            case CLUSTER_PARTED, CLUSTER_CONFLICT, MEMBER_FLAPPING ->
                links.put(
                        text("Cluster", "クラスタ"),
                        console + "/#/clusters/" + alert.subject().replaceFirst("/.*", ""));
        }
        links.put(text("Alerts", "アラート"), console + "/#/alerts");
        return links;
    }

    String state(Alert alert) {
        return text(
                STATES.getOrDefault(alert.state(), LocalizedText.of(alert.state(), alert.state())));
    }

    private String duration(Alert alert) {
        Instant end = Objects.requireNonNull(alert.endedAt());
        return text("From ", "期間:") + TIME.format(alert.since()) + text(" to ", " 〜 ")
                + TIME.format(end) + " (" + span(Duration.between(alert.since(), end)) + ")";
    }

    String text(LocalizedText text) {
        return japanese ? text.ja() : text.en();
    }

    private String text(String en, String ja) {
        return japanese ? ja : en;
    }

    private String span(Duration span) {
        long seconds = Math.max(0, span.toSeconds());
        if (seconds < 60) {
            return seconds + text(" s", " 秒");
        }
        if (seconds < 3_600) {
            return seconds / 60 + text(" min", " 分");
        }
        return seconds / 3_600 + text(" h ", " 時間 ") + seconds % 3_600 / 60 + text(" min", " 分");
    }

    /**
     * Replaces control characters. Names and causes are external input: none of them may start a
     * new line or a header.
     */
    private static String line(String text) {
        return text.replaceAll("[\\p{Cntrl}\\u2028\\u2029]+", " ");
    }
}
