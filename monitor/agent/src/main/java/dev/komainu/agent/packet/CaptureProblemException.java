package dev.komainu.agent.packet;

import org.jspecify.annotations.Nullable;

/** Live capture is not possible on this host; contains the command that repairs it. */
public final class CaptureProblemException extends Exception {

    private static final long serialVersionUID = 1;

    private final String code;
    private final @Nullable String remedy;

    CaptureProblemException(String code, String message, @Nullable String remedy) {
        super(message);
        this.code = code;
        this.remedy = remedy;
    }

    /**
     * Returns a stable code: {@code no-libpcap}, {@code no-capture-permission},
     * {@code no-such-interface}, {@code capture-failed}.
     */
    public String code() {
        return code;
    }

    /** Returns the exact command, null when there is none. */
    public @Nullable String remedy() {
        return remedy;
    }
}
