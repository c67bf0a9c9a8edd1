/**
 * The packet module of ENMA (thesis 2.4.1): frames in, TCP segments out, read in place.
 *
 * <p>In: a capture file ({@link dev.komainu.agent.packet.CaptureFile}) or live interfaces
 * ({@code LiveCapture}), both behind {@link dev.komainu.agent.packet.PacketSource}. Out: one reused
 * {@link dev.komainu.agent.packet.TcpSegment} per TCP packet, valid during the call only. Thread:
 * the caller of {@code PacketSource.run}; no state is shared, nothing is allocated per packet.
 * Live, several threads may read: {@link dev.komainu.agent.packet.CaptureLanes}. Start at
 * {@link dev.komainu.agent.packet.FrameDecoder}.
 *
 * <p>Decisions: docs/decisions/0010-what-it-stands-on.md,
 * docs/decisions/0093-capture-files-and-frame-decoder.md
 */
@NullMarked
package dev.komainu.agent.packet;

import org.jspecify.annotations.NullMarked;
