package dev.komainu.central.backup.table;

import dev.komainu.telemetry.wire.Sha256;
import java.math.BigInteger;
import java.util.HexFormat;

/** The addition of rows to a {@link TableSum}. One thread. */
final class RowAdder {

    private static final BigInteger MODULUS = BigInteger.ONE.shiftLeft(256);
    private static final int BYTES = 32;

    private long rows;
    private BigInteger sum = BigInteger.ZERO;

    void add(byte[] row) {
        rows++;
        sum = sum.add(new BigInteger(1, Sha256.of(row))).mod(MODULUS);
    }

    TableSum sum() {
        byte[] digits = new byte[BYTES];
        byte[] number = sum.toByteArray();
        int length = Math.min(BYTES, number.length); // a first byte of 0 may hold the sign
        System.arraycopy(number, number.length - length, digits, BYTES - length, length);
        return new TableSum(rows, HexFormat.of().formatHex(digits));
    }
}
