-- Values of the same file that an order changes together with its own: a JSON array, absent when there are none.
alter table orders add column companions varchar(2000);
