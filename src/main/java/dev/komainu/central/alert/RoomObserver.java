package dev.komainu.central.alert;

import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.room.RoomState;
import java.time.Instant;
import java.util.List;

/** The observations of the disks, and of PostgreSQL's. */
final class RoomObserver {

    static final String NO_ROOM = "no-room";

    private static final String ROOM = "room";

    private RoomObserver() {}

    static Observation observe(RoomState room, Instant now) {
        return new Observation(
                AlertKind.DISK_FULL,
                room.place(),
                room.full() ? NO_ROOM : ROOM,
                true,
                Double.NaN,
                AlertKind.DISK_FULL.usual(),
                now,
                room.freeBytes() < 0
                        ? server()
                        : room.place().equals(RoomState.RECORD_SERVER)
                                ? recordServer(room)
                                : disk(room),
                List.of());
    }

    private static LocalizedText disk(RoomState room) {
        String free = Evidence.figure((double) room.freeBytes(), "B");
        String least = Evidence.figure((double) room.leastBytes(), "B");
        String en = "The disk of " + room.place() + " has " + free + " free (expected: " + least
                + " and the reserve for control data). ";
        String ja = room.place() + " のディスクの空きは " + free + " です(必要:" + least + " と制御データ用の予約領域)。";
        return room.refusesBatches()
                ? LocalizedText.of(
                        en
                                + "Batches are refused until there is room; their senders keep them for"
                                + " a time. Users can log in. Free some room",
                        ja + "空きができるまでバッチを拒否します。送信元が一定時間保持します。ログインはできます。空きを作ってください")
                : LocalizedText.of(
                        en + "Batches are stored, and users can log in. Free some room",
                        ja + "バッチは保存され、ログインもできます。空きを作ってください");
    }

    private static LocalizedText recordServer(RoomState room) {
        String free = Evidence.figure((double) room.freeBytes(), "B");
        String least = Evidence.figure((double) room.leastBytes(), "B");
        return LocalizedText.of(
                "The disk of ClickHouse has " + free + " free (expected: " + least
                        + "). It stops merging and then storing; batches wait at their senders then."
                        + " Free some room on its disk",
                "ClickHouse のディスクの空きは " + free + " です(必要:" + least
                        + ")。マージが止まり、次に保存が止まります。その間バッチは送信元で待機します。サーバーのディスクに空きを作ってください");
    }

    private static LocalizedText server() {
        return LocalizedText.of(
                "PostgreSQL has no space on its disk, or none for the reserve. Changes may be refused;"
                        + " batches are stored. Free some room on its disk",
                "PostgreSQL のディスクに空きがないか、予約領域を確保できません。変更が拒否されることがあります。バッチは保存されます。サーバーのディスクに空きを作ってください");
    }
}
