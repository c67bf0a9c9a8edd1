package dev.komainu.organizer.line;

import io.netty.util.AsciiString;

/**
 * Fields of messages between members. The organizer removes them from messages of clients and
 * servers, and from messages to them.
 */
public final class MemberFields {

    /** Reason why no server made the response. */
    public static final AsciiString REFUSAL = AsciiString.cached("komainu-refusal");

    /**
     * The receiver is the cache that owns the object: it answers itself or from the origin, and
     * requests no other member.
     */
    public static final AsciiString OWNER = AsciiString.cached("komainu-owner");

    /**
     * Beside {@link #OWNER}: the purges that the requesting member received lately, and that the
     * owner must have.
     */
    public static final AsciiString HEARD = AsciiString.cached("komainu-heard");

    /** The receiver gets purges from the sender, and sends its own. */
    public static final AsciiString PURGES = AsciiString.cached("komainu-purges");

    /**
     * Beside a request: the requesting member accepts pushes, and the outcome of former pushes.
     * Beside a promise: the pusher's number for it. {@code organizer.page.PageWord} writes both.
     */
    public static final AsciiString PAGE = AsciiString.cached("komainu-page");

    private MemberFields() {}
}
