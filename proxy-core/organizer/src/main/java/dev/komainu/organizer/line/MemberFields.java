package dev.komainu.organizer.line;

import io.netty.util.AsciiString;

/**
 * Fields that members say to each other, and nobody else: taken off what clients and servers say,
 * and off what they hear.
 */
public final class MemberFields {

    /** The answer is no server's, for this reason. */
    public static final AsciiString REFUSAL = AsciiString.cached("komainu-refusal");

    /**
     * The receiver is asked as the cache that owns the object: it answers, or asks the origin, and
     * nobody else.
     */
    public static final AsciiString OWNER = AsciiString.cached("komainu-owner");

    /** Beside {@link #OWNER}: which purges the asker has heard of late, and the owner must have. */
    public static final AsciiString HEARD = AsciiString.cached("komainu-heard");

    /** The receiver is told of purges, and tells its own. */
    public static final AsciiString PURGES = AsciiString.cached("komainu-purges");

    /**
     * Beside a request: the asker takes pushes, and what became of former ones. Beside a promise:
     * the pusher's number for it. As {@code organizer.page.PageWord} writes them.
     */
    public static final AsciiString PAGE = AsciiString.cached("komainu-page");

    private MemberFields() {}
}
