package dev.komainu.central.diagnosis;

import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.IndexSource;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.MeasurementView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The places to check when a service fails without a shortage: its last change, its error log, its
 * access log.
 */
public final class FailureClues {

    /**
     * Age in seconds, at the onset of the failure, above which a change is not the first suspect.
     */
    static final int SUSPECT_SECONDS = 600;

    private FailureClues() {}

    /**
     * The newest change of a service.
     *
     * @param title one line
     * @param by user, {@code token:NAME}, or {@code agent}
     */
    public record LastChange(Instant at, String title, String by) {}

    static List<Evidence> of(
            ServiceProfile service,
            MeasurementView view,
            long sinceSecond,
            @Nullable LastChange last) {
        List<Evidence> clues = new ArrayList<>();
        if (last != null && last.at().getEpochSecond() >= sinceSecond - SUSPECT_SECONDS) {
            clues.add(clue(
                    "The last change: " + last.title() + " (" + last.by() + ", " + last.at()
                            + "). Roll it back first.",
                    "直近の変更: " + last.title() + "(" + last.by() + "、" + last.at() + ")。まず元に戻してください。",
                    IndexSource.CONFIGURATION));
        }
        String log = errorLog(service.kind());
        clues.add(clue("Read its error log: " + log, "エラーログを確認してください: " + log, IndexSource.LOG));
        if (Double.isNaN(view.now("logEntriesPerSecond", 60))) {
            clues.add(clue(
                    "The access log, which shows the failed requests, is not read. Enable it in the server and run: sudo"
                            + " ./komainu agent --access-log auto",
                    "失敗したリクエストを記録するアクセスログが読まれていません。サーバで有効にし、実行してください: sudo ./komainu agent"
                            + " --access-log auto",
                    IndexSource.LOG));
        }
        return clues;
    }

    private static Evidence clue(String en, String ja, IndexSource source) {
        return Evidence.ofText("failureExcessShare", LocalizedText.of(en, ja), source);
    }

    /** Returns the command that shows the error log or its location. */
    private static String errorLog(String kind) {
        return switch (kind) {
            case "nginx" -> "nginx -T 2>/dev/null | grep error_log";
            case "apache" -> "apachectl -S | grep ErrorLog";
            case "tomcat" -> "tail -n 50 $CATALINA_BASE/logs/catalina.*.log";
            case "squid" -> "tail -n 50 /var/log/squid/cache.log";
            case "varnish" -> "varnishlog -d -g request -q 'RespStatus >= 500'";
            case "haproxy" -> "journalctl -u haproxy -n 50";
            case "gunicorn" -> "journalctl -u gunicorn -n 50";
            case "uwsgi" -> "tail -n 50 /var/log/uwsgi/app/*.log";
            case "php-fpm" -> "tail -n 50 /var/log/php*fpm.log";
            default -> "journalctl -n 50";
        };
    }
}
