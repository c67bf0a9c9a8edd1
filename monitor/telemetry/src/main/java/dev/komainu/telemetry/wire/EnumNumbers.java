package dev.komainu.telemetry.wire;

/** Enum constants by their wire number, 1 for the first. */
final class EnumNumbers {

    /** An unknown constant: the record is skipped and counted, the rest of the batch is read. */
    static final class UnknownConstant extends RuntimeException {
        private static final long serialVersionUID = 1;

        UnknownConstant(int number) {
            super("enum constant " + number, null, false, false);
        }
    }

    private EnumNumbers() {}

    static <E extends Enum<E>> E of(E[] constants, int number) {
        if (number < 1 || number > constants.length) {
            throw new UnknownConstant(number);
        }
        return constants[number - 1];
    }
}
