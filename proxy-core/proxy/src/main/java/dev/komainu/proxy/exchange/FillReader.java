package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.Ascii;
import dev.komainu.proxy.fetch.CacheFill;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;

/**
 * One client's reading of an object that still arrives: the pieces of its excerpt in order, each as
 * far as it is there, no faster than the client takes it. Holds nothing back but one reference of
 * the fill.
 */
final class FillReader {

    /** How far a reading is. */
    enum Progress {
        /** For more of the object, or for room at the client. */
        WAITING,
        /** Every piece was written. */
        READ,
        /** What is missing will never come. */
        BROKEN
    }

    private final CacheFill fill;
    private final List<ResponseExcerpt.Piece> pieces;
    private int piece;
    private long done;
    private boolean introduced;
    private boolean cutShort;

    /** Takes over one reference of the fill. */
    FillReader(CacheFill fill, ResponseExcerpt excerpt) {
        this.fill = fill;
        this.pieces = excerpt.pieces();
    }

    /**
     * The fill grows no more, and what follows comes by another way: what it holds is all there is
     * to read here.
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
            if (!introduced) {
                introduced = true;
                if (!current.before().isEmpty()) {
                    body.part(Unpooled.wrappedBuffer(Ascii.bytes(current.before())));
                }
            }
            // Read before the bytes are looked for: a fill that is complete grows no more.
            CacheFill.State state = fill.state();
            ByteBuf view = done == current.count()
                    ? null
                    : fill.view(current.from() + done, current.count() - done);
            if (view != null) {
                done += view.readableBytes();
                body.part(view);
            } else if (done == current.count()
                    || current.toTheEnd() && state == CacheFill.State.COMPLETE) {
                piece++;
                done = 0;
                introduced = false;
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
