package dev.komainu.proxy.upstream;

/**
 * Why an origin gave no answer, or no whole one.
 *
 * @param status what a client is told when nothing was sent to it yet: 403, 502, 503 or 504
 * @param code short and stable, such as {@code connect-timeout}
 * @param message one sentence for people, safe to show
 * @param beforeAnswer no byte of an answer had arrived: a safe request may be tried again elsewhere
 */
public record OriginFailure(int status, String code, String message, boolean beforeAnswer) {}
