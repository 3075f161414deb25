//! What the thread of a run and the future of that run share.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use tokio::sync::watch;

use crate::runner::Order;
use crate::sys::fd;

/// The thread sleeps on descriptors, so whoever changes something here wakes it with an event.
pub(super) struct Shared {
    wake: OwnedFd,
    order: AtomicU8,
    /// The thread has output that found no room.
    starving: AtomicBool,
    held: watch::Sender<bool>,
}

impl Shared {
    pub(super) fn new(held: watch::Sender<bool>) -> io::Result<Self> {
        Ok(Self {
            wake: fd::event()?,
            order: AtomicU8::new(encode(Order::Run)),
            starving: AtomicBool::new(false),
            held,
        })
    }

    /// What is asked now.
    pub(super) fn order(&self) -> Order {
        match self.order.load(Ordering::Acquire) {
            0 => Order::Run,
            1 => Order::Suspend,
            2 => Order::Stop,
            _ => Order::Kill,
        }
    }

    /// Gives an order.
    pub(super) fn give(&self, order: Order) {
        self.order.store(encode(order), Ordering::Release);
        fd::ring(self.wake());
    }

    pub(super) fn set_starving(&self, starving: bool) {
        self.starving.store(starving, Ordering::Release);
    }

    /// There is room for output again.
    pub(super) fn made_room(&self) {
        if self.starving.swap(false, Ordering::AcqRel) {
            fd::ring(self.wake());
        }
    }

    /// Tells that the tree is held, or not any more.
    pub(super) fn acknowledge(&self, held: bool) {
        self.held.send_replace(held);
    }

    pub(super) fn wake(&self) -> BorrowedFd<'_> {
        fd::borrow(&self.wake)
    }
}

fn encode(order: Order) -> u8 {
    match order {
        Order::Run => 0,
        Order::Suspend => 1,
        Order::Stop => 2,
        Order::Kill => 3,
    }
}
