package dev.komainu.central.store;

/** The model keeps the contract, so it may judge others. */
class ModelStoreTest extends RecordStoreContract {

    @Override
    RecordStore open() {
        return new ModelStore();
    }
}
