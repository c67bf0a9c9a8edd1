/**
 * Evidence: the headers of the packets of the last minutes, in two bounded capture files that any
 * tool can read.
 *
 * <p>In: the frames of a live source, on its thread. Out: {@code FILE} (newest) and {@code FILE.1}
 * (the half before), pcap with Ethernet headers and microseconds, for every link. Start at
 * {@link dev.komainu.agent.evidence.EvidenceRing};
 * {@link dev.komainu.agent.evidence.RecordingSource} inserts it into a capture,
 * {@link dev.komainu.agent.evidence.EvidenceReader} cuts one connection or the last seconds out of
 * it.
 *
 * <p>Decision: docs/decisions/0093-capture-files-and-frame-decoder.md
 */
@NullMarked
package dev.komainu.agent.evidence;

import org.jspecify.annotations.NullMarked;
