package dev.komainu.proxy.cache.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BodyMemoryTest {

    private static final Path RESIDENT = Path.of("/proc/self/statm");

    @Test
    void allocateAndFree_atRandom_neverOverlaps_andEndsWithOneFreeRun() {
        BodyMemory memory = new BodyMemory(4 << 20);
        Random random = new Random(7);
        List<ByteBuf> held = new ArrayList<>();
        List<Integer> marks = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            if (held.isEmpty() || random.nextInt(5) < 3) {
                int size = 1 + random.nextInt(random.nextInt(10) == 0 ? 200_000 : 12_000);
                ByteBuf run = memory.allocate(size);
                if (run != null) {
                    for (int at = 0; at < size; at++) {
                        run.writeByte(i);
                    }
                    held.add(run);
                    marks.add(i);
                    continue;
                }
            }
            int at = random.nextInt(held.size());
            ByteBuf run = held.remove(at);
            int mark = marks.remove(at);
            assertThat(run.getByte(0)).isEqualTo((byte) mark);
            assertThat(run.getByte(run.capacity() - 1)).isEqualTo((byte) mark);
            run.release();
        }
        held.forEach(ByteBuf::release);
        assertThat(memory.used()).isZero();
        List<ByteBuf> whole = new ArrayList<>();
        for (long left = memory.capacity(); left > 0; left -= memory.longestRun()) {
            ByteBuf run = memory.allocate(memory.longestRun());
            assertThat(run).isNotNull();
            whole.add(run);
        }
        assertThat(memory.allocate(1)).isNull();
        whole.forEach(ByteBuf::release);
    }

    @Test
    void trim_freesTheUnwrittenUnits() {
        BodyMemory memory = new BodyMemory(1 << 20);
        ByteBuf run = memory.allocate(100_000);
        run.writeZero(700);
        memory.trim(run, 0);
        assertThat(memory.used()).isEqualTo(768);
        run.release();
        assertThat(memory.used()).isZero();
    }

    @Test
    void duplicate_keepsTheRunAllocated() {
        BodyMemory memory = new BodyMemory(1 << 20);
        ByteBuf run = memory.allocate(1000);
        ByteBuf view = run.retainedDuplicate();
        assertThat(BodyMemory.charged(view)).isEqualTo(1024);
        run.release();
        assertThat(memory.used()).isEqualTo(1024);
        view.release();
        assertThat(memory.used()).isZero();
    }

    @Test
    void allocate_systemOutOfMemory_usesTheExistingSlabs() {
        AtomicInteger requestedSlabs = new AtomicInteger();
        BodyMemory memory = new BodyMemory(8 << 20, (owner, bytes) -> {
            if (requestedSlabs.incrementAndGet() > 2) {
                throw new OutOfMemoryError("staged");
            }
            return new Slab(owner, bytes);
        });
        ByteBuf first = memory.allocate(1 << 20);
        ByteBuf second = memory.allocate(1 << 20);
        assertThat(memory.allocate(1 << 20)).isNull();
        assertThat(memory.allocate(1)).isNull();
        assertThat(requestedSlabs).hasValue(3);
        first.release();
        assertThat(memory.allocate(1000)).isNotNull();
        second.release();
    }

    @Test
    void memory_isResidentAsItIsWritten_orAtOnceWhereDemanded() throws IOException {
        assumeTrue(
                Files.exists(RESIDENT),
                RESIDENT + ": not available here (expected: Linux, to read the resident memory)");
        int capacity = 256 << 20;
        BodyMemory memory = new BodyMemory(capacity);
        long before = residentBytes();
        ByteBuf large = memory.allocate(memory.longestRun());
        assertThat(large).isNotNull();
        large.setByte(large.capacity() / 2, 1);
        assertThat(residentBytes() - before)
                .as("two pages of %d bytes are written", large.capacity())
                .isLessThan(memory.longestRun() / 2);
        large.release();
        before = residentBytes();
        memory.touchAll();
        assertThat(memory.reserved()).isEqualTo(capacity);
        assertThat(residentBytes() - before)
                .as("all slabs but the first, which exists already; the heap may shrink meanwhile")
                .isGreaterThan((long) (capacity - memory.longestRun()) / 2);
        ByteBuf again = memory.allocate(memory.longestRun());
        assertThat(again).as("touching destroys no bookkeeping").isNotNull();
        again.release();
        assertThat(memory.used()).isZero();
    }

    /** Returns the resident memory of this process (proc(5), statm). */
    private static long residentBytes() throws IOException {
        return Long.parseLong(Files.readString(RESIDENT).split(" ", -1)[1]) * 4096;
    }

    @Test
    void allocateLongest_fragmented_returnsTheLongestRun() {
        BodyMemory memory = new BodyMemory(1 << 20);
        List<ByteBuf> held = new ArrayList<>();
        for (ByteBuf run = memory.allocate(10_000); run != null; run = memory.allocate(10_000)) {
            held.add(run);
        }
        held.remove(7).release();
        held.remove(20).release();
        held.remove(20).release();
        assertThat(memory.allocate(30_000)).isNull();
        ByteBuf longest = memory.allocateLongest(4096, 30_000);
        assertThat(longest).isNotNull();
        assertThat(longest.capacity()).isEqualTo(2 * 79 * Slab.UNIT);
        assertThat(memory.allocateLongest(16_384, 30_000)).isNull();
        longest.release();
        held.forEach(ByteBuf::release);
        assertThat(memory.used()).isZero();
    }

    /**
     * Free units are found again in any order of releases: the bookkeeping lies in the free memory
     * itself and must survive bodies.
     */
    @Test
    void slab_unitsAtRandom_agreesWithAMapOfUnits() {
        int units = 4096;
        Slab slab = new Slab(new BodyMemory(1 << 20), units * Slab.UNIT);
        boolean[] taken = new boolean[units];
        List<int[]> held = new ArrayList<>();
        Random random = new Random(11);
        for (int i = 0; i < 50_000; i++) {
            if (held.isEmpty() || random.nextInt(7) < 4) {
                int count = 1 + random.nextInt(random.nextInt(9) == 0 ? 300 : 12);
                int at = slab.allocate(count);
                if (at >= 0) {
                    for (int u = at; u < at + count; u++) {
                        assertThat(taken[u]).isFalse();
                        taken[u] = true;
                    }
                    slab.whole.setZero(at * Slab.UNIT, count * Slab.UNIT);
                    held.add(new int[] {at, count});
                }
            } else {
                int[] run = held.remove(random.nextInt(held.size()));
                for (int u = run[0]; u < run[0] + run[1]; u++) {
                    taken[u] = false;
                }
                slab.free(run[0], run[1]);
            }
        }
        held.forEach(run -> slab.free(run[0], run[1]));
        assertThat(slab.longestFree()).isEqualTo(units);
        assertThat(slab.allocate(units)).isZero();
    }

    @Test
    void run_readAndWrittenInEachWay_behavesLikeAnOrdinaryBuffer() throws Exception {
        BodyMemory memory = new BodyMemory(1 << 20);
        ByteBuf before = memory.allocate(300);
        ByteBuf run = memory.allocate(300);
        ByteBuf after = memory.allocate(300);
        before.setZero(0, 300);
        after.setZero(0, 300);
        byte[] bytes = new byte[300];
        new Random(3).nextBytes(bytes);
        ByteBuf plain = Unpooled.buffer(300, 300);
        for (ByteBuf each : List.of(run, plain)) {
            each.writeBytes(bytes, 0, 100);
            each.writeBytes(Unpooled.wrappedBuffer(bytes, 100, 50));
            each.writeBytes(ByteBuffer.wrap(bytes, 150, 50));
            each.writeBytes(new ByteArrayInputStream(bytes, 200, 50), 50);
            each.writeByte(-7)
                    .writeShort(-300)
                    .writeMedium(70_000)
                    .writeInt(1 << 30)
                    .writeLong(-1L << 40);
            each.writeShortLE(-300)
                    .writeMediumLE(70_000)
                    .writeIntLE(1 << 30)
                    .writeLongLE(-1L << 40);
        }
        assertThat(run.writerIndex()).isEqualTo(plain.writerIndex());
        assertThat(ByteBufUtil.getBytes(run)).isEqualTo(ByteBufUtil.getBytes(plain));
        for (int at = 0; at < 270; at += 9) {
            assertThat(run.getLong(at)).isEqualTo(plain.getLong(at));
            assertThat(run.getIntLE(at)).isEqualTo(plain.getIntLE(at));
            assertThat(run.getUnsignedMedium(at)).isEqualTo(plain.getUnsignedMedium(at));
            assertThat(run.getShort(at)).isEqualTo(plain.getShort(at));
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        run.getBytes(10, out, 200);
        assertThat(out.toByteArray()).isEqualTo(ByteBufUtil.getBytes(plain, 10, 200));
        assertThat(run.nioBuffer(10, 200)).isEqualTo(plain.nioBuffer(10, 200));
        ByteBuf copy = run.copy(10, 200);
        assertThat(copy).isEqualTo(plain.slice(10, 200));
        copy.release();
        assertThatThrownBy(() -> run.getBytes(200, new byte[101]))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> run.setByte(300, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        for (ByteBuf neighbour : List.of(before, after)) {
            assertThat(ByteBufUtil.getBytes(neighbour, 0, 300)).containsOnly(0);
            neighbour.release();
        }
        run.release();
        assertThat(memory.used()).isZero();
    }
}
