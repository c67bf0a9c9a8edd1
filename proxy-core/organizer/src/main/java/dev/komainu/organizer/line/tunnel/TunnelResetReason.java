package dev.komainu.organizer.line.tunnel;

import dev.komainu.intermediary.tunnel.TunnelChannel;
import dev.komainu.organizer.line.StreamEnd;

/**
 * Reasons why a tunnel was broken off before both directions had ended. The connection is reset, so
 * that the peer does not mistake a part for the whole.
 */
public enum TunnelResetReason {
    /** The connection at this end was reset, or closed with its entry. */
    CONNECTION,
    /** The other end broke the tunnel off: its connection was reset, or could not be written to. */
    FAR_END,
    /** The line to the other end was lost. */
    LINE,
    /** This side's line or server was closed. */
    CLOSED,
    /** Frames of the line break its rules. */
    MALFORMED,
    /** Bytes could not be written to an open connection: a fault of this program, or no memory. */
    UNWRITTEN,
    /** Any other fault of this program. */
    FAULT;

    static TunnelResetReason of(StreamEnd how) {
        return switch (how.reason()) {
            case RESET, REFUSED -> FAR_END;
            case LOST, NO_CONNECTION -> LINE;
            case CLOSED -> CLOSED;
            case MALFORMED -> MALFORMED;
            case CANCELLED -> CONNECTION;
            case COMPLETE -> FAULT;
        };
    }

    /**
     * Returns the reason of a failed write.
     *
     * @param cause the failure
     */
    static TunnelResetReason unwritten(Throwable cause) {
        return TunnelChannel.isPeerFault(cause) ? CONNECTION : UNWRITTEN;
    }
}
