package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.Ascii;
import dev.komainu.proxy.fetch.CacheFill;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;

/**
 * One client's reading of an object that is still arriving. It writes the pieces of the client's
 * excerpt in order, as they arrive, no faster than the client accepts them. It retains one
 * reference of the fill and nothing else.
 */
final class FillReader {

    /** The progress of a reading. */
    enum Progress {
        /** Waits for more of the object, or for room at the client. */
        WAITING,
        /** All pieces are written. */
        READ,
        /** The missing bytes will not arrive. */
        BROKEN
    }

    private final CacheFill fill;
    private final List<ResponseExcerpt.Piece> pieces;
    private int piece;
    private long done;
    private boolean hasPreamble;
    private boolean cutShort;

    /** Creates a reading. Takes ownership of one reference of the fill. */
    FillReader(CacheFill fill, ResponseExcerpt excerpt) {
        this.fill = fill;
        this.pieces = excerpt.pieces();
    }

    /**
     * Ends the reading with the bytes in the fill: it does not grow, and the rest arrives by
     * another way.
     */
    void cutShort() {
        cutShort = true;
    }

    Progress move(ClientStream to, BodyWriter body) {
        while (piece < pieces.size()) {
            ResponseExcerpt.Piece current = pieces.get(piece);
            if (!to.isWritable()) {
                return Progress.WAITING;
            }
            if (!hasPreamble) {
                hasPreamble = true;
                if (!current.before().isEmpty()) {
                    body.part(Unpooled.wrappedBuffer(Ascii.bytes(current.before())));
                }
            }
            // The state is read before the bytes: a fill that is complete does not grow.
            CacheFill.State state = fill.state();
            ByteBuf view = done == current.count()
                    ? null
                    : fill.view(current.from() + done, current.count() - done);
            if (view != null) {
                done += view.readableBytes();
                body.part(view);
            } else if (done == current.count()
                    || (current.toTheEnd() && state == CacheFill.State.COMPLETE)) {
                piece++;
                done = 0;
                hasPreamble = false;
            } else if (cutShort) {
                return Progress.READ;
            } else {
                return state == CacheFill.State.BROKEN ? Progress.BROKEN : Progress.WAITING;
            }
        }
        return Progress.READ;
    }

    void release() {
        fill.release();
    }
}
