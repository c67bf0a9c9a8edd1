package dev.komainu.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BodyMemoryTest {

    @Test
    void takeAndGive_atRandom_neverOverlapsAndReturnsToOneFreeRun() {
        BodyMemory memory = new BodyMemory(4 << 20);
        Random random = new Random(7);
        List<ByteBuf> held = new ArrayList<>();
        List<Integer> marks = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            if (held.isEmpty() || random.nextInt(5) < 3) {
                int size = 1 + random.nextInt(random.nextInt(10) == 0 ? 200_000 : 12_000);
                ByteBuf run = memory.take(size);
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
        ByteBuf whole = memory.take(memory.longestRun());
        assertThat(whole).isNotNull();
        assertThat(memory.take(1)).isNull();
        whole.release();
    }

    @Test
    void trim_givesBackWhatWasNotWritten() {
        BodyMemory memory = new BodyMemory(1 << 20);
        ByteBuf run = memory.take(100_000);
        run.writeZero(700);
        memory.trim(run);
        assertThat(memory.used()).isEqualTo(1024);
        run.release();
        assertThat(memory.used()).isZero();
    }

    @Test
    void duplicate_keepsTheRunTaken() {
        BodyMemory memory = new BodyMemory(1 << 20);
        ByteBuf run = memory.take(1000);
        ByteBuf view = run.retainedDuplicate();
        assertThat(BodyMemory.charged(view)).isEqualTo(1024);
        run.release();
        assertThat(memory.used()).isEqualTo(1024);
        view.release();
        assertThat(memory.used()).isZero();
    }
}
