package dev.komainu.central.state;

import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.MeasurementView;

/** The cause sentences of states that no rule of the rule set names. */
final class StateTexts {

    static final LocalizedText SILENT =
            LocalizedText.of("No requests in the last minute.", "直近 1 分間、リクエストはありません。");
    static final LocalizedText PAUSE =
            LocalizedText.of("No requests in the last ten seconds.", "直近 10 秒間、リクエストはありません。");
    static final LocalizedText NO_HOST = LocalizedText.of(
            "CPU, memory and disks are not observable: no agent reports from this server's host.",
            "CPU・メモリ・ディスクは観測できません:このサーバのホストからエージェントの報告がありません。");
    static final LocalizedText GAP = LocalizedText.of(
            "Connections have been refused for a moment. Within seconds it is clear whether the server restarts or crashed.",
            "直前から接続が拒否されています。再起動かクラッシュかは、数秒で判明します。");
    static final LocalizedText UNCLEAR = LocalizedText.of(
            "The server stopped: connections are refused. Was it meant? A new process, a supervisor or the time that its restarts take will tell, at latest after 10 s.",
            "サーバが停止しました:接続が拒否されています。意図した停止でしょうか。新しいプロセス・スーパーバイザ・過去の再起動時間により、遅くとも 10 秒で判明します。");
    static final LocalizedText STARTING = LocalizedText.of(
            "The server stopped, and a process of a new start does not listen yet: a restart.",
            "サーバが停止し、新しいプロセスはまだ待ち受けていません:再起動中です。");
    static final LocalizedText CRASHED = LocalizedText.of(
            "No listener: connections are refused, and no request gets a response.",
            "待ち受けがありません:接続は拒否され、応答もありません。");
    static final LocalizedText NO_PROCESS =
            LocalizedText.of("The server's processes no longer exist.", "サーバのプロセスが存在しません。");
    static final LocalizedText RESTARTING = LocalizedText.of(
            "The server refused connections for a moment and responds again: a restart.",
            "一時的に接続を拒否し、再び応答しています:再起動です。");
    static final LocalizedText UNREACHABLE = LocalizedText.of(
            "Clients send requests, but no packet comes back, not even a refusal: the host or the link is down.",
            "クライアントのリクエストに対し、拒否も含め 1 パケットも返りません:ホストまたは回線が停止しています。");

    static final LocalizedText HELD = LocalizedText.of(
            "The central service has just started. The previous state is shown until the first reports arrive.",
            "中央サービスは起動直後です。最初の報告が届くまで、以前の状態を表示します。");

    private StateTexts() {}

    static LocalizedText normal(MeasurementView view) {
        double arriving = view.now("arrivalPerSecond", 60);
        if (!(arriving > 0)) {
            return SILENT;
        }
        if (!(view.now("arrivalPerSecond", 10) > 0)) {
            return PAUSE;
        }
        double processed = view.now("processedPerSecond", 10);
        double millis = view.now("responseP50Millis", 10);
        String rate = Double.isNaN(processed) ? "–" : Evidence.figure(processed, "1/s");
        String time = Double.isNaN(millis) ? "–" : Evidence.figure(millis, "ms");
        return LocalizedText.of(
                "Requests get a response as they arrive: " + rate + ", half of them within " + time
                        + ".",
                "リクエストは到着どおりに応答されています:" + rate + "、半数は " + time + " 以内。");
    }

    /** Returns the cause sentence while the cause is over and its queue still drains. */
    static LocalizedText recovering(Rule named, MeasurementView view) {
        double queued = view.now("acceptQueue", 2);
        double waiting = queued >= 1 ? queued : view.now("processingMean", 2);
        if (!(waiting >= 1)) {
            return named.cause();
        }
        String count = Evidence.figure(Math.rint(waiting), "count");
        return queued >= 1
                ? LocalizedText.of(
                        "Recovering: " + count + " in the queue. "
                                + named.cause().en(),
                        "回復中:キューに " + count + " 件。" + named.cause().ja())
                : LocalizedText.of(
                        "Recovering: " + count + " requests in progress. "
                                + named.cause().en(),
                        "回復中:処理中 " + count + " 件。" + named.cause().ja());
    }

    static LocalizedText unheard(CollectorPresence presence) {
        String node = presence.node();
        if (node == null) {
            return LocalizedText.of(
                    "No probe reports this server's packets. Start an agent where its traffic can be captured.",
                    "このサーバのパケットを報告するプローブがありません。通信をキャプチャできる場所でエージェントを起動してください。");
        }
        if (!presence.agentReports()) {
            return LocalizedText.of(
                    "The agent on " + node + " does not report. Start it there: ./komainu agent",
                    node + " のエージェントから報告がありません。起動してください: ./komainu agent");
        }
        return LocalizedText.of(
                "The agent on " + node
                        + " reports, but not this server's packets. It has no permission to capture, or "
                        + "it does not watch this port. See its problems under Sources.",
                node + " のエージェントは動作中ですが、このサーバのパケットを報告していません。キャプチャの権限と監視ポートを、情報源の「問題」で確認してください。");
    }
}
